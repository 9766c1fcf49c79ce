import type { Voice } from '../../../contract/generation/requests.ts'
import { countCharacters } from '../../../contract/scalars.ts'
import { type ProviderAccess, providerIdentity } from '../access.ts'
import { askWithoutUnknown, failureOfAnswer, requestProvider, toRawAnswer } from '../provider-request.ts'
import type { SpeechProvider } from '../types.ts'
import { assertDecodable, decodeSpeech, isText } from '../wav.ts'

/** Five minutes of speech, as 16 bits at 48 kHz. */
const MAX_BYTES = 28 * 1024 * 1024

/** A model that speaks, behind an endpoint that speaks as OpenAI's `/audio/speech`. */
export function openaiSpeech(access: ProviderAccess): SpeechProvider {
  const { options } = access
  const unknown = new Set(options.instructions === false ? ['instructions'] : [])
  const voiceFor: SpeechProvider['voice'] = (voice) => ({
    name: options.voices?.[voice] ?? options.voices?.other ?? openAiVoice(voice),
    exact: false,
  })
  return {
    ...providerIdentity(access),
    notice: null,
    longestText: options.longest_text,
    voice: voiceFor,
    async speak({ text, voice, language, style }, context) {
      const instructions = style === null ? {} : { instructions: style }
      const answered = await askWithoutUnknown(instructions, unknown, context, (members, context) => {
        const question = {
          path: '/audio/speech',
          body: {
            model: access.model,
            input: text,
            voice: voiceFor(voice, language).name,
            response_format: options.audio ?? 'pcm',
            ...members,
          },
          maxBytes: MAX_BYTES,
        }
        return requestProvider(access, question, context)
      })
      const { body, contentType } = answered
      if (/json|^text\//i.test(contentType) || isText(body)) {
        throw failureOfAnswer(access, body.toString('utf8'), 'it is text, and no audio')
      }
      assertDecodable(access, body, contentType)
      const usage = { characters: countCharacters(text) }
      const withoutStyle = style !== null && unknown.has('instructions')
      return toRawAnswer(access, { body, contentType, usage, withoutStyle })
    },
    read: ({ body, contentType = '' }) => decodeSpeech(access, body as Buffer, contentType),
  }
}

/** Of the voices that every speech model of OpenAI has, the one that is nearest to each of ours in pitch and character. */
const nearestVoices: [name: string, ours: Voice[]][] = [
  ['sage', ['Kore', 'Despina', 'Erinome']],
  ['echo', ['Puck', 'Algieba', 'Enceladus', 'Schedar', 'Umbriel']],
  ['onyx', ['Charon', 'Orus', 'Algenib', 'Alnilam']],
  ['ash', ['Fenrir', 'Achird', 'Sadachbia', 'Zubenelgenubi']],
  ['nova', ['Zephyr', 'Autonoe', 'Laomedeia']],
  ['coral', ['Aoede', 'Leda', 'Callirrhoe', 'Sulafat']],
  ['shimmer', ['Achernar', 'Vindemiatrix']],
  ['fable', ['Iapetus', 'Rasalgethi', 'Sadaltager']],
]

const openAiVoice = (voice: Voice): string =>
  nearestVoices.find(([, ours]) => ours.includes(voice))?.[0] ?? 'alloy'
