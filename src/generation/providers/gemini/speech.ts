import { GenerationError } from '../../failure.ts'
import { type Access, called } from '../access.ts'
import type { RawAnswer } from '../answer.ts'
import { exchange, unreadable } from '../exchange.ts'
import { withoutKey } from '../keep-secret.ts'
import { failureInside } from '../refusal-inside.ts'
import { checkSpeech, readSpeech } from '../speech-answer.ts'
import type { SpeechProvider, SpeechRequest } from '../types.ts'
import { rawAnswer, usageOf } from '../usage.ts'
import { type Audio, readAnswer } from './answer.ts'

const TIMEOUT_MS = 300_000
/** Five minutes of speech, as 16 bits at 24 kHz in base64, and half as much again. */
const MAX_BYTES = 30 * 1024 * 1024
/** Longer ones are cut off, and drift from their voice. */
const LONGEST_TEXT = 4_000

/** The codes that `languageCode` takes. Of any other language the model finds out by the text. */
const languages: ReadonlySet<string> = new Set(
  [
    'ar-XA bn-IN cmn-CN de-DE en-AU en-GB en-IN en-US es-ES es-US fr-CA fr-FR gu-IN hi-IN id-ID it-IT ja-JP',
    'kn-IN ko-KR ml-IN mr-IN nl-NL pl-PL pt-BR ru-RU ta-IN te-IN th-TH tr-TR vi-VN',
  ].flatMap((line) => line.split(' ')),
)

/** Gemini's speech: the voices that Galley offers are its own (ai.google.dev/gemini-api/docs/speech-generation). */
export function geminiSpeech(access: Access): SpeechProvider {
  const { options } = access
  const voiceFor: SpeechProvider['voice'] = (voice) => {
    const other = options.voices?.[voice] ?? options.voices?.other
    return { name: other ?? voice, exact: other === undefined || other === voice }
  }

  /** The audio of an answer, or what its having none means. */
  function audioOf(body: string): Audio {
    const read = readAnswer(body)
    if (typeof read !== 'string') return read
    if (read === 'moderated')
      throw new GenerationError({
        reason: 'CONTENT_MODERATION',
        of: 'job',
        made: true,
        message: `The moderation of ${called(access)} declined to speak this text. Change what is asked for.`,
      })
    throw failureInside(access, body) ?? unreadable(access, read)
  }

  return {
    name: access.name,
    model: access.model,
    concurrency: access.concurrency,
    notice: null,
    longestText: options.longest_text ?? LONGEST_TEXT,
    voice: voiceFor,
    async speak(request, context): Promise<RawAnswer> {
      const { name } = voiceFor(request.voice, request.language)
      const question = {
        path: `/models/${encodeURIComponent(access.model)}:generateContent`,
        body: JSON.stringify({ ...questionFor(request, name), ...options.extra }),
        headers: keyed(access),
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
      }
      const answered = await exchange(access, question, context)
      const body = withoutKey(answered.body.toString('utf8'), access)
      const { samples, type, used } = audioOf(body)
      checkSpeech(access, samples, type)
      const usage = { ...usageOf(used), characters: [...request.text].length }
      return rawAnswer(access, { body, contentType: 'application/json', usage })
    },
    read({ body }) {
      const { samples, type } = audioOf(body.toString())
      return readSpeech(access, samples, type)
    },
  }
}

const questionFor = (
  { text, language, style }: SpeechRequest,
  voiceName: string,
): Record<string, unknown> => ({
  contents: [
    {
      role: 'user',
      parts: [{ text: style === null ? text : `Say the following in this style: ${style}\n\n${text}` }],
    },
  ],
  generationConfig: {
    responseModalities: ['AUDIO'],
    speechConfig: {
      ...(languages.has(language) ? { languageCode: language } : {}),
      voiceConfig: { prebuiltVoiceConfig: { voiceName } },
    },
  },
})

const keyed = ({ key }: Access): Record<string, string> =>
  key === undefined ? {} : { 'x-goog-api-key': key() }
