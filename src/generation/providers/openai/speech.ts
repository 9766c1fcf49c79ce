import type { Voice } from '../../../contract/generation/requests.ts'
import { bearerHeader, type ProviderAccess, redactProviderKey } from '../access.ts'
import { errorInsideSuccess } from '../provider-errors.ts'
import { requestProvider, toRawAnswer, unreadableAnswer } from '../provider-request.ts'
import { assertDecodable, decodeSpeech, isText } from '../speech-answer.ts'
import type { SpeechProvider } from '../types.ts'

const TIMEOUT_MS = 300_000
/** Five minutes of speech, as 16 bits at 48 kHz. */
const MAX_BYTES = 28 * 1024 * 1024
/** OpenAI takes 4,096. */
const MAX_TEXT_LENGTH = 4_000

/** A model that speaks, behind an endpoint that speaks as OpenAI's `/audio/speech`. */
export function openaiSpeech(access: ProviderAccess): SpeechProvider {
  const { options } = access
  const voiceFor: SpeechProvider['voice'] = (voice) => ({
    name: options.voices?.[voice] ?? options.voices?.other ?? openAiVoices[voice],
    exact: false,
  })
  return {
    name: access.name,
    model: access.model,
    concurrency: access.concurrency,
    notice: null,
    longestText: options.longest_text ?? MAX_TEXT_LENGTH,
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
        headers: bearerHeader(access),
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
      }
      const { body, contentType } = await requestProvider(access, question, context)
      if (/json|^text\//i.test(contentType) || isText(body)) {
        const told = redactProviderKey(body.toString('utf8'), access)
        throw errorInsideSuccess(access, told) ?? unreadableAnswer(access, 'it is text, and no audio')
      }
      assertDecodable(access, body, contentType)
      const usage = { characters: [...text].length }
      return toRawAnswer(access, { body, contentType, usage })
    },
    read: ({ body, contentType = '' }) => decodeSpeech(access, bytesOf(body), contentType),
  }
}

const bytesOf = (body: string | Buffer): Buffer =>
  typeof body === 'string' ? Buffer.from(body, 'latin1') : body

/** Of the voices that every speech model of OpenAI has, the one that is nearest to each of ours in pitch and character. */
const openAiVoices = {
  Kore: 'sage',
  Puck: 'echo',
  Charon: 'onyx',
  Fenrir: 'ash',
  Zephyr: 'nova',
  Aoede: 'coral',
  Leda: 'coral',
  Orus: 'onyx',
  Achernar: 'shimmer',
  Achird: 'ash',
  Algenib: 'onyx',
  Algieba: 'echo',
  Alnilam: 'onyx',
  Autonoe: 'nova',
  Callirrhoe: 'coral',
  Despina: 'sage',
  Enceladus: 'echo',
  Erinome: 'sage',
  Gacrux: 'alloy',
  Iapetus: 'fable',
  Laomedeia: 'nova',
  Pulcherrima: 'alloy',
  Rasalgethi: 'fable',
  Sadachbia: 'ash',
  Sadaltager: 'fable',
  Schedar: 'echo',
  Sulafat: 'coral',
  Umbriel: 'echo',
  Vindemiatrix: 'shimmer',
  Zubenelgenubi: 'ash',
} as const satisfies Record<Voice, string>
