import { createRequire } from 'node:module'
import { GenerationError } from '../../failure.ts'
import { createThread } from '../../thread.ts'
import type { Access } from '../access.ts'
import type { SpeechProvider } from '../types.ts'
import { speechOfWav, wavHeader } from '../wav.ts'
import { nameOf, spokenAs } from './languages.ts'
import type { EspeakAnswer, Utterance } from './protocol.ts'
import { sounds } from './voices.ts'

/** Installed by who wants it: its licence, GPL-3.0, is not Galley's. */
export const PACKAGE = '@echogarden/espeak-ng-emscripten'

/** Characters of one request: some two minutes of sound, and half a second of computing. */
const LONGEST = 2_000

/** For one text, on a machine that has much else to do. */
const TIMEOUT_MS = 300_000

const notice =
  'The speech was made by eSpeak NG, a synthesiser that runs without any service, and sounds like one. For a natural voice, name a provider for audio in the file of GALLEY_PROVIDERS.'

/** In a process all speak in one thread, one text after the other: it takes 80 MB, and half a second to start. */
const thread = createThread<Utterance, EspeakAnswer>('espeak', { timeoutMs: TIMEOUT_MS, heapMb: 64 })

/** Speaks a text, after those that came before it. */
export async function synthesise(utterance: Utterance, signal: AbortSignal) {
  const heard = await thread.ask(utterance, signal).catch((cause: unknown) => {
    signal.throwIfAborted()
    const message = `eSpeak NG did not speak: ${cause instanceof Error ? cause.message : String(cause)}.`
    throw new GenerationError({ reason: 'PROVIDER_UNAVAILABLE', of: 'provider', message, cause })
  })
  if ('samples' in heard) return heard
  const message = `eSpeak NG did not speak: ${heard.failure}.`
  throw new GenerationError({ reason: 'INVALID_OUTPUT', of: 'job', message })
}

/** Whether its package is there. */
function espeakIsInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(PACKAGE)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return false
    throw error
  }
}

/** eSpeak NG, in a thread of this process: speaks a hundred languages without any service; undefined where its package is not installed. */
export function espeak({
  name,
  concurrency,
}: Pick<Access, 'name' | 'concurrency'>): SpeechProvider | undefined {
  if (!espeakIsInstalled()) return undefined
  return {
    name,
    model: 'espeak-ng',
    notice,
    concurrency,
    longestText: LONGEST,
    voice: (voice, language) => {
      const spoken = spokenAs(language)
      const named = { name: `${spoken.name}+${sounds[voice].variant}`, exact: false }
      return spoken.exact ? named : { ...named, language: nameOf(spoken.name) }
    },
    speak: async ({ text, voice, language }, { signal }) => {
      signal.throwIfAborted()
      const { variant, ...manner } = sounds[voice]
      const utterance = { voice: `${spokenAs(language).name}+${variant}`, ...manner, ssml: asSsml(text) }
      const { samples, sampleRate } = await synthesise(utterance, signal)
      const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
      return {
        provider: name,
        model: 'espeak-ng',
        body: Buffer.concat([wavHeader(sampleRate, samples.length), bytes]),
        contentType: 'audio/wav',
        usage: { characters: text.length },
      }
    },
    read: ({ body }) => speechOfWav(typeof body === 'string' ? Buffer.from(body, 'latin1') : body),
  }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** A text as itself: nothing in it is an order to the synthesiser, which reads SSML, and phonemes in double brackets. */
const asSsml = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: its texts end at the first of them
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, ' ')
    .replace(/\[(?=\[)/g, '[ ')
    .replace(/[&<>]/g, (character) => entities[character] ?? '')
