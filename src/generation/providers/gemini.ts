import { z } from 'zod'
import { countCharacters } from '../../contract/scalars.ts'
import { jobFailure } from '../failure.ts'
import { type ProviderAccess, providerIdentity, providerLabel } from './access.ts'
import {
  failureOfAnswer,
  firstEntries,
  normaliseUsage,
  parseJsonWithFile,
  requestProvider,
  toRawAnswer,
} from './provider-request.ts'
import type { RawAnswer, SpeechProvider, SpeechRequest } from './types.ts'
import { assertDecodable, decodeSpeech } from './wav.ts'

interface GeminiAudio {
  samples: Buffer
  /** MIME type, with the rate: `audio/L16;codec=pcm;rate=24000`. */
  type: string
  used: { input_tokens: unknown; output_tokens: unknown }
}

const part = z.object({
  inlineData: z.object({ mimeType: z.string().default(''), data: z.string() }).optional(),
})
const answerSchema = z.object({
  candidates: firstEntries(
    1,
    z.object({
      content: z.object({ parts: z.array(part).default([]) }).optional(),
      finishReason: z.string().optional(),
    }),
  ).default([]),
  promptFeedback: z.object({ blockReason: z.string().optional() }).optional(),
  usageMetadata: z
    .object({ promptTokenCount: z.unknown(), candidatesTokenCount: z.unknown() })
    .partial()
    .optional()
    .catch(undefined),
})

const MODERATED = /^(SAFETY|PROHIBITED_CONTENT|BLOCKLIST|SPII|RECITATION|IMAGE_SAFETY)$/

/** Reads an answer; or says why it has no speech, as part of a sentence, or that it was `moderated`. */
export function parseGeminiAnswer(body: string): GeminiAudio | string {
  const value = parseJsonWithFile(body)
  if (value === undefined)
    return 'it is not JSON, only the beginning of it, or has far more in it than speech'
  const { data } = answerSchema.safeParse(value)
  if (!data) return 'it is of another shape'
  const [candidate] = data.candidates
  const reason = candidate?.finishReason ?? 'STOP'
  if (data.promptFeedback?.blockReason !== undefined || MODERATED.test(reason)) return 'moderated'
  // What ended for another reason is cut off, though it has audio in it: OTHER and MAX_TOKENS come with half of it.
  if (reason !== 'STOP') return `it ended before the speech did (${reason.slice(0, 40)})`
  const pieces = (candidate?.content?.parts ?? []).flatMap(({ inlineData }) => inlineData ?? [])
  const [first] = pieces
  if (first === undefined) return 'it has no audio in it'
  return {
    samples: Buffer.concat(pieces.map((piece) => Buffer.from(piece.data, 'base64'))),
    type: first.mimeType,
    used: {
      input_tokens: data.usageMetadata?.promptTokenCount,
      output_tokens: data.usageMetadata?.candidatesTokenCount,
    },
  }
}

/** Five minutes of speech, as 16 bits at 24 kHz in base64, and half as much again. */
const MAX_BYTES = 30 * 1024 * 1024

/** The codes that `languageCode` takes. Of any other language the model finds out by the text. */
const supportedLanguages: ReadonlySet<string> = new Set(
  [
    'ar-XA bn-IN cmn-CN de-DE en-AU en-GB en-IN en-US es-ES es-US fr-CA fr-FR gu-IN hi-IN id-ID it-IT ja-JP',
    'kn-IN ko-KR ml-IN mr-IN nl-NL pl-PL pt-BR ru-RU ta-IN te-IN th-TH tr-TR vi-VN',
  ].flatMap((line) => line.split(' ')),
)

/** Gemini's speech: the voices that Galley offers are its own (ai.google.dev/gemini-api/docs/speech-generation). */
export function geminiSpeech(access: ProviderAccess): SpeechProvider {
  const { options } = access
  const voiceFor: SpeechProvider['voice'] = (voice) => {
    const other = options.voices?.[voice] ?? options.voices?.other
    return { name: other ?? voice, exact: other === undefined || other === voice }
  }

  function audioOf(body: string): GeminiAudio {
    const read = parseGeminiAnswer(body)
    if (typeof read !== 'string') return read
    if (read === 'moderated')
      throw jobFailure(
        'CONTENT_MODERATION',
        `The moderation of ${providerLabel(access)} declined to speak this text. Change what is asked for.`,
        { made: true },
      )
    throw failureOfAnswer(access, body, read)
  }

  return {
    ...providerIdentity(access),
    notice: null,
    longestText: options.longest_text,
    voice: voiceFor,
    async speak(request, context): Promise<RawAnswer> {
      const { name } = voiceFor(request.voice, request.language)
      const question = {
        path: `/models/${encodeURIComponent(access.model)}:generateContent`,
        body: speechRequest(request, name),
        headers: keyHeader(access),
        maxBytes: MAX_BYTES,
      }
      const answered = await requestProvider(access, question, context)
      const body = answered.body.toString('utf8')
      const { samples, type, used } = audioOf(body)
      assertDecodable(access, samples, type)
      const usage = { ...normaliseUsage(used), characters: countCharacters(request.text) }
      return toRawAnswer(access, { body, usage })
    },
    read({ body }) {
      const { samples, type } = audioOf(body.toString())
      return decodeSpeech(access, samples, type)
    },
  }
}

const speechRequest = ({ text, language, style }: SpeechRequest, voiceName: string) => ({
  contents: [
    {
      role: 'user',
      parts: [{ text: style === null ? text : `Say the following in this style: ${style}\n\n${text}` }],
    },
  ],
  generationConfig: {
    responseModalities: ['AUDIO'],
    speechConfig: {
      ...(supportedLanguages.has(language) ? { languageCode: language } : {}),
      voiceConfig: { prebuiltVoiceConfig: { voiceName } },
    },
  },
})

const keyHeader = ({ key }: ProviderAccess): Record<string, string> =>
  key === undefined ? {} : { 'x-goog-api-key': key() }
