import pMap from 'p-map'
import type { AudioFormat } from '../../../contract/generation/choices.ts'
import type { AudioResult, Step } from '../../../contract/generation/results.ts'
import { GenerationError } from '../../failure.ts'
import type { JobRun } from '../../jobs/run.ts'
import type { Speech, SpeechProvider } from '../../providers/types.ts'
import { MOST_SAMPLES } from '../../providers/wav.ts'
import type { Storage } from '../../storage/types.ts'
import { providerOfAnswer } from '../provider-of-answer.ts'
import { type Chunk, chunksOf, speakersOf } from './chunks.ts'
import { type Encoding, encodeSpeech, rateFor, resampledLength } from './encode/index.ts'
import type { Reading } from './reading.ts'
import { tellOfVoices } from './voices.ts'

/** Chunks of a job that are asked for at once: a provider has its own limit beside that. */
const AT_ONCE = 3

/** What a stored answer is, without its samples. */
interface Length {
  sampleRate: number
  samples: number
}

const types = { mp3: 'audio/mpeg', opus: 'audio/ogg', wav: 'audio/wav' } as const satisfies Record<
  AudioFormat,
  string
>

const extensions = { mp3: 'mp3', opus: 'ogg', wav: 'wav' } as const satisfies Record<AudioFormat, string>

/**
 * Has a text spoken, and keeps it as one file. All of it is spoken before any is encoded: what was answered is stored, so
 * it is then read chunk by chunk, and in memory there is never more than that.
 *
 * @param candidates of one tier, the preferred first
 */
export async function readAloud(
  run: JobRun,
  step: Step,
  storage: Pick<Storage, 'keep'>,
  candidates: readonly SpeechProvider[],
  reading: Reading,
): Promise<AudioResult> {
  if (candidates.length === 0) throw noProvider()
  const chunks = await chunksOf(run, step, reading, candidates)
  if (chunks.length === 0) throw nothingToSay()
  // The chunks' texts, the chunks, and the file.
  await run.expect(step, chunks.length + 2)

  const speakers = speakersOf(chunks, candidates)
  const answer = ({ part, text }: Chunk) =>
    run.answer(part, speakers, (provider, context) => {
      const { voice, language, style } = reading
      return provider.speak({ text, voice, language, style }, context)
    })

  const spokenBy = new Set<SpeechProvider>()
  const lengths = await all(chunks, async (chunk): Promise<Length> => {
    const answered = await answer(chunk)
    const provider = providerOfAnswer(candidates, answered)
    spokenBy.add(provider)
    const { samples, sampleRate } = provider.read(answered)
    return { samples: samples.length / 2, sampleRate }
  })
  tellOfVoices(run, spokenBy, reading)

  async function* pieces(): AsyncGenerator<Speech> {
    for (const chunk of chunks) {
      const answered = await answer(chunk)
      yield providerOfAnswer(candidates, answered).read(answered)
    }
  }
  const kept = await run.keep({ step, name: 'file' }, async () => {
    const { bytes, seconds } = encodeSpeech(encodingOf(reading.format, lengths), pieces(), run.signal)
    const { format } = reading
    const file = { type: types[format], extension: extensions[format], body: bytes, served: true }
    const { url } = await storage.keep({ accountId: run.accountId, ...file })
    if (url === null) throw new Error('A file that was to be served has no address')
    return JSON.stringify({
      url,
      duration: duration(seconds()),
      character_count: codePoints(reading.text),
      format,
    } satisfies AudioResult)
  })
  return JSON.parse(kept.toString()) as AudioResult
}

/** Carries out each, some at once. After a failure none is begun, and it is thrown once none is under way any more. */
async function all<Item, Made>(items: readonly Item[], make: (item: Item) => Promise<Made>): Promise<Made[]> {
  let failure: { error: unknown } | undefined
  const made = await pMap(
    items,
    async (item) => {
      if (failure) return undefined
      try {
        return await make(item)
      } catch (error) {
        failure ??= { error }
        return undefined
      }
    },
    { concurrency: AT_ONCE },
  )
  if (failure) throw failure.error
  return made as Made[]
}

/** One rate for the whole: that of the first chunk, as far as the format has it. */
function encodingOf(format: AudioFormat, lengths: readonly Length[]): Encoding {
  const [first] = lengths
  const sampleRate = rateFor(format, first?.sampleRate ?? 0)
  const samples = lengths
    .map((length) => resampledLength(length.samples, length.sampleRate, sampleRate))
    .reduce((sum, length) => sum + length, 0)
  if (format === 'wav' && samples > MOST_SAMPLES) throw tooLong(samples / sampleRate)
  return { format, sampleRate, samples }
}

const noProvider = () =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'provider',
    message: 'No provider for speech is configured any more: GALLEY_PROVIDERS names none for this tier.',
  })

const tooLong = (seconds: number) =>
  new GenerationError({
    reason: 'INVALID_OUTPUT',
    of: 'job',
    message: `The speech is ${duration(seconds)} long, more than the 4 GiB that a WAV file can hold. Ask for mp3 or opus.`,
  })

const nothingToSay = () =>
  new GenerationError({
    reason: 'INVALID_OUTPUT',
    of: 'job',
    message: 'There is nothing in the text that could be spoken.',
  })

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** `<m> min <s> sec`, to the nearest second; what is heard at all has one. */
function duration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds))
  return `${Math.floor(whole / 60)} min ${whole % 60} sec`
}
