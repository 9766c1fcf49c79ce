import type { Access } from '../access.ts'
import { isWords } from '../container.ts'
import { exchange, unreadable } from '../exchange.ts'
import { withoutKey } from '../keep-secret.ts'
import { failureInside } from '../refusal-inside.ts'
import { checkSpeech, readSpeech } from '../speech-answer.ts'
import type { SpeechProvider } from '../types.ts'
import { rawAnswer } from '../usage.ts'
import { bearer } from './bearer.ts'
import { nearestVoices } from './voices.ts'

const TIMEOUT_MS = 300_000
/** Five minutes of speech, as 16 bits at 48 kHz. */
const MAX_BYTES = 28 * 1024 * 1024
/** OpenAI takes 4,096. */
const LONGEST_TEXT = 4_000

/** A model that speaks, behind an endpoint that speaks as OpenAI's `/audio/speech`. */
export function openaiSpeech(access: Access): SpeechProvider {
  const { options } = access
  const voiceFor: SpeechProvider['voice'] = (voice) => ({
    name: options.voices?.[voice] ?? options.voices?.other ?? nearestVoices[voice],
    exact: false,
  })
  return {
    name: access.name,
    model: access.model,
    concurrency: access.concurrency,
    notice: null,
    longestText: options.longest_text ?? LONGEST_TEXT,
    voice: voiceFor,
    async speak({ text, voice, language, style }, context) {
      const question = {
        path: '/audio/speech',
        body: JSON.stringify({
          model: access.model,
          input: text,
          voice: voiceFor(voice, language).name,
          response_format: options.audio ?? 'pcm',
          ...(style === null || options.instructions === false ? {} : { instructions: style }),
          ...options.extra,
        }),
        headers: bearer(access),
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
      }
      const { body, contentType } = await exchange(access, question, context)
      if (/json|^text\//i.test(contentType) || isWords(body)) {
        const told = withoutKey(body.toString('utf8'), access)
        throw failureInside(access, told) ?? unreadable(access, 'it is text, and no audio')
      }
      checkSpeech(access, body, contentType)
      const usage = { characters: [...text].length }
      return rawAnswer(access, { body, contentType, usage })
    },
    read: ({ body, contentType = '' }) => readSpeech(access, bytesOf(body), contentType),
  }
}

const bytesOf = (body: string | Buffer): Buffer =>
  typeof body === 'string' ? Buffer.from(body, 'latin1') : body
