import { setImmediate } from 'node:timers/promises'
import pMap from 'p-map'
import type { AudioFormat, Voice } from '../../../contract/generation/requests.ts'
import type { AudioResult, GenerationStep } from '../../../contract/generation/results.ts'
import { GenerationError } from '../../failure.ts'
import type { JobRun, PartName } from '../../jobs/job.ts'
import { findAnsweringProvider, type Speech, type SpeechProvider } from '../../providers/types.ts'
import { MAX_WAV_SAMPLES } from '../../providers/wav.ts'
import type { Storage } from '../../storage/types.ts'
import { type Encoding, encodeSpeech, encodingRate, resampledLength } from './encode/encode.ts'
import { splitText } from './split-text.ts'

/** Chunks of a job that are asked for at once: a provider has its own limit beside that. */
const MAX_CONCURRENT_CHUNKS = 3

/** What a stored answer is, without its samples. */
interface AudioLength {
  sampleRate: number
  samples: number
}

const types = { mp3: 'audio/mpeg', opus: 'audio/ogg', wav: 'audio/wav' } as const satisfies Record<
  AudioFormat,
  string
>

const extensions = { mp3: 'mp3', opus: 'ogg', wav: 'wav' } as const satisfies Record<AudioFormat, string>

/**
 * Speaks a text and stores it as one file. All is spoken before any is encoded; the stored answers
 * are then read one by one to save memory.
 *
 * @param candidates of one tier, the preferred first
 */
export async function synthesiseAudio(
  run: JobRun,
  step: GenerationStep,
  storage: Pick<Storage, 'keep'>,
  candidates: readonly SpeechProvider[],
  reading: SpeechText,
): Promise<AudioResult> {
  if (candidates.length === 0) throw noProvider()
  const chunks = await speechChunks(run, step, reading, candidates)
  if (chunks.length === 0) throw nothingToSay()
  // The chunks' texts, the chunks, and the file.
  await run.expect(step, chunks.length + 2)

  const speakers = capableSpeakers(chunks, candidates)
  const answer = ({ part, text }: SpeechChunk) =>
    run.answer(part, speakers, (provider, context) => {
      const { voice, language, style } = reading
      return provider.speak({ text, voice, language, style }, context)
    })

  const spokenBy = new Set<SpeechProvider>()
  const lengths = await mapConcurrently(chunks, async (chunk): Promise<AudioLength> => {
    const answered = await answer(chunk)
    const provider = findAnsweringProvider(candidates, answered)
    spokenBy.add(provider)
    const { samples, sampleRate } = provider.read(answered)
    return { samples: samples.length / 2, sampleRate }
  })
  warnOfVoiceChanges(run, spokenBy, reading)

  async function* pieces(): AsyncGenerator<Speech> {
    for (const chunk of chunks) {
      const answered = await answer(chunk)
      yield findAnsweringProvider(candidates, answered).read(answered)
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
      duration: formatDuration(seconds()),
      character_count: codePoints(reading.text),
      format,
    } satisfies AudioResult)
  })
  return JSON.parse(kept.toString()) as AudioResult
}

/** Carries out each, some at once. After a failure none is begun, and it is thrown once none is under way any more. */
async function mapConcurrently<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Promise<Made>,
): Promise<Made[]> {
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
    { concurrency: MAX_CONCURRENT_CHUNKS },
  )
  if (failure) throw failure.error
  return made as Made[]
}

/** One rate for the whole: that of the first chunk, as far as the format has it. */
function encodingOf(format: AudioFormat, lengths: readonly AudioLength[]): Encoding {
  const [first] = lengths
  const sampleRate = encodingRate(format, first?.sampleRate ?? 0)
  const samples = lengths
    .map((length) => resampledLength(length.samples, length.sampleRate, sampleRate))
    .reduce((sum, length) => sum + length, 0)
  if (format === 'wav' && samples > MAX_WAV_SAMPLES) throw tooLong(samples / sampleRate)
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
    message: `The speech is ${formatDuration(seconds)} long, more than the 4 GiB that a WAV file can hold. Ask for mp3 or opus.`,
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
function formatDuration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds))
  return `${Math.floor(whole / 60)} min ${whole % 60} sec`
}

interface SpeechText {
  text: string
  voice: Voice
  language: string
  style: string | null
  format: AudioFormat
}

/** Tells who listens what they hear: a synthesiser, another voice than they asked for, another language, several voices. */
function warnOfVoiceChanges(
  run: JobRun,
  spokenBy: ReadonlySet<SpeechProvider>,
  { voice, language }: Pick<SpeechText, 'voice' | 'language'>,
): void {
  for (const provider of spokenBy) {
    const used = provider.voice(voice, language)
    if (provider.notice !== null) run.warn({ code: 'speech_notice', message: provider.notice })
    if (!used.exact)
      run.warn({
        code: 'voice_nearest',
        message: `"${provider.name}" does not have the voice ${voice}; it spoke with its nearest, ${used.name}.`,
      })
    if (used.language !== undefined)
      run.warn({
        code: 'language_nearest',
        message: `"${provider.name}" does not know the language "${language}"; it spoke ${used.language}.`,
      })
  }
  if (spokenBy.size > 1)
    run.warn({
      code: 'voices_mixed',
      message: `One provider failed on the way, and another one spoke the rest, so the voice changes: ${[...spokenBy].map(({ name }) => `"${name}"`).join(', ')}.`,
    })
}

/** Characters of one request, also where a provider takes more: its answer is samples, 3 kB for each of them. */
const MAX_CHUNK_LENGTH = 2_000

/** Characters of one request to this provider at most. */
export const maxChunkLength = ({ longestText }: SpeechProvider): number =>
  Math.min(MAX_CHUNK_LENGTH, longestText)

interface SpeechChunk {
  part: PartName
  text: string
}

/**
 * Cuts a text into requests short enough for all candidates, or for those whose calls fit the
 * budget. They are stored, since answers belong to them even when the settings change.
 *
 * @throws GenerationError where nobody can speak it in so many requests; nothing was asked then
 */
async function speechChunks(
  run: JobRun,
  step: PartName['step'],
  { text, language }: { text: string; language: string },
  candidates: readonly SpeechProvider[],
): Promise<SpeechChunk[]> {
  const kept = await run.keep({ step, name: 'chunks' }, async () => {
    const limits = candidates.map(maxChunkLength)
    let least = Number.POSITIVE_INFINITY
    for (const limit of [...new Set(limits)].toSorted((one, other) => one - other)) {
      const chunks = await splitForProvider(text, limit, language)
      if (chunks.length <= run.callsLeft) return JSON.stringify(chunks)
      least = Math.min(least, chunks.length)
    }
    throw tooManyCalls(least, run.callsLeft)
  })
  return (JSON.parse(kept.toString()) as string[]).map((chunk, index) => ({
    part: { step, name: `chunk-${index + 1}` },
    text: chunk.trim(),
  }))
}

async function splitForProvider(text: string, limit: number, language: string): Promise<string[]> {
  const chunks: string[] = []
  for (const chunk of splitText(text, limit, language)) {
    if (isAudible(chunk)) chunks.push(chunk)
    // To cut one takes some 30 ms, where a text is made for that, and others have their turn.
    await setImmediate()
  }
  return chunks
}

/** Those of the candidates that take every one of the requests. */
function capableSpeakers(
  chunks: readonly SpeechChunk[],
  candidates: readonly SpeechProvider[],
): readonly SpeechProvider[] {
  const longest = chunks.reduce((most, { text }) => Math.max(most, text.length), 0)
  const able = candidates.filter(({ longestText }) => longestText >= longest)
  return able.length > 0 ? able : candidates
}

const tooManyCalls = (needed: number, left: number): GenerationError =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'job',
    message: `To speak this text takes ${needed} calls to a provider, and the job may have ${left} more (GALLEY_JOB_CALLS), so none was made. Send a shorter text, raise the setting, or name a provider that takes longer texts (longest_text).`,
  })

/** Whether there is anything to say: of white space and full stops alone, providers make errors or noise. */
const isAudible = (chunk: string) => /[\p{L}\p{N}\p{S}]/u.test(chunk)
