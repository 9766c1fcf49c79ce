import { setImmediate } from 'node:timers/promises'
import pMap from 'p-map'
import { spokenTexts } from '../../../blocks/document.ts'
import { Reading } from '../../../blocks/read.ts'
import type { AudioFormat } from '../../../contract/generation/requests.ts'
import type { AudioResult, DocumentResult, GenerationStep } from '../../../contract/generation/results.ts'
import { countCharacters } from '../../../contract/scalars.ts'
import { type GenerationError, jobFailure, noProviderFailure } from '../../failure.ts'
import type { PartName } from '../../jobs/job.ts'
import type { JobRun } from '../../jobs/job-run.ts'
import type { Speech, SpeechProvider, SpeechRequest } from '../../providers/types.ts'
import { MAX_WAV_SAMPLES } from '../../providers/wav.ts'
import type { Storage } from '../../storage/storage.ts'
import { withNextProvider } from '../next-provider.ts'
import { splitText } from '../sentences.ts'
import { hasText, withFullStop } from '../text/inlines.ts'
import { type LengthUnit, lengthUnit } from '../text/measure.ts'
import { planShape } from '../text/plan.ts'
import type { StepNeeds } from '../types.ts'
import { type Encoding, encodeSpeech } from './encode/encode.ts'
import { encodingRate, resampledLength } from './encode/resample.ts'

/** Characters that a word, or a character, takes at least in a text of some length, and the space behind it. */
const MIN_CHARACTERS_PER_UNIT: Record<LengthUnit, number> = { words: 5, characters: 1 }

/** Languages without spaces between words, in which characters are counted. */
const unspaced = /^(zh|cmn|yue|ja|th|lo|km|my)\b/i

/** A text may be a tenth shorter than what was asked for. */
const MIN_LENGTH_RATIO = 0.9

/** Refuses what certainly needs too many calls, before its text is paid for. @throws GenerationError */
export function checkNarrationBudget(run: JobRun<'document'>, candidates: readonly SpeechProvider[]): void {
  const { request, mostCalls } = run
  if (!request.audio.enabled || candidates.length === 0) return
  // A prompt in English may ask for a text in Chinese, of which so many characters are far less.
  const unit = unspaced.test(request.audio.language) ? 'characters' : lengthUnit(request.prompt)
  const characters = request.text.length * MIN_CHARACTERS_PER_UNIT[unit] * MIN_LENGTH_RATIO
  const spoken = Math.ceil(characters / Math.max(...candidates.map(maxChunkLength)))
  const needed = 1 + planShape(request, unit).sections + spoken
  if (needed > mostCalls) throw tooManyCalls('To write and to speak this document', needed, mostCalls)
}

const tooManyCalls = (what: string, needed: number, most: number): GenerationError =>
  jobFailure(
    'BUDGET_EXCEEDED',
    `${what} takes at least ${needed} calls to providers, and the job may have ${most} (GALLEY_JOB_CALLS), so none was made. Send a shorter text, ask for no narration, raise the setting, or name a provider that takes longer texts (longest_text).`,
  )

/** What a person would read aloud, see `spokenTexts`. */
export function narrationText({ title, content }: Pick<DocumentResult, 'title' | 'content'>): string {
  const [first = '', ...others] = new Reading()
    .document(content.content)
    .map((block) => spokenTexts([block]).map(sentence).filter(Boolean).join('\n'))
  // A document may begin with its own title.
  const heading = first === sentence(title) ? '' : first
  return [sentence(title), heading, ...others].filter(Boolean).join('\n\n')
}

/** With a full stop, so that a voice makes its pause. */
const sentence = (text: string): string => (hasText(text) ? withFullStop(text.trim()) : '')

type SpeechNeeds = Pick<StepNeeds, 'providers'> & { storage: Pick<StepNeeds['storage'], 'keep'> }

export async function makeAudio(
  run: JobRun<'audio'>,
  { providers, storage }: SpeechNeeds,
): Promise<AudioResult> {
  await run.enter('generating')
  return synthesiseAudio(run, 'generating', storage, providers.speech(run.request.model), run.request)
}

/** The narration of a document: its title and its text, spoken. Undefined where it was left out. */
export async function makeNarration(
  run: JobRun<'document'>,
  { providers, storage }: SpeechNeeds,
  document: Pick<DocumentResult, 'title' | 'content'>,
): Promise<AudioResult | undefined> {
  await run.enter('audio')
  const { audio } = run.request
  const reading = { ...audio, text: narrationText(document) }
  const warning = { code: 'narration_left_out', what: 'Its narration' } as const
  return run.makeOrLeaveOut({ step: 'audio', name: 'narration' }, warning, () =>
    synthesiseAudio(run, 'audio', storage, providers.speech(audio.model), reading),
  )
}

/** Chunks of a job that are asked for at once: a provider has its own limit beside that. */
const MAX_CONCURRENT_CHUNKS = 3

interface AudioLength {
  sampleRate: number
  samples: number
}

const fileKinds = {
  mp3: { type: 'audio/mpeg', extension: 'mp3' },
  opus: { type: 'audio/ogg', extension: 'ogg' },
  wav: { type: 'audio/wav', extension: 'wav' },
} as const satisfies Record<AudioFormat, object>

/** Speaks a text and stores it as one file. Stored answers are read one by one, to save memory. */
async function synthesiseAudio(
  run: JobRun,
  step: GenerationStep,
  storage: Pick<Storage, 'keep'>,
  candidates: readonly SpeechProvider[],
  reading: SpeechText,
): Promise<AudioResult> {
  if (candidates.length === 0) throw noProviderFailure()
  const chunks = await speechChunks(run, step, reading, candidates)
  if (chunks.length === 0)
    throw jobFailure('INVALID_OUTPUT', 'There is nothing in the text that could be spoken.')
  // The chunks' texts, the chunks, and the file.
  await run.expect(step, chunks.length + 2)

  const speakers = capableSpeakers(chunks, candidates)
  const { voice, language, style } = reading
  const speak = ({ name, text }: SpeechChunk) =>
    withNextProvider(run, { step, name }, speakers, async (ask) => {
      const { provider, answer } = await ask((provider, context) =>
        provider.speak({ text, voice, language, style }, context),
      )
      return { provider, withoutStyle: answer.withoutStyle, ...provider.read(answer) }
    })

  const spokenBy = new Set<SpeechProvider>()
  const lengthOf = async (chunk: SpeechChunk): Promise<AudioLength> => {
    const { provider, withoutStyle, samples, sampleRate } = await speak(chunk)
    spokenBy.add(provider)
    if (withoutStyle)
      run.warn({
        code: 'style_ignored',
        message: `"${provider.name}" takes no style; it spoke without the one that was asked for.`,
      })
    return { samples: samples.length / 2, sampleRate }
  }
  const lengths = await pMap(chunks, lengthOf, { concurrency: MAX_CONCURRENT_CHUNKS })
  warnOfVoiceChanges(run, spokenBy, reading)

  async function* pieces(): AsyncGenerator<Speech> {
    for (const chunk of chunks) yield await speak(chunk)
  }
  return run.keep({ step, name: 'file' }, async () => {
    const { bytes, seconds } = encodeSpeech(encodingOf(reading.format, lengths), pieces(), run.signal)
    const { format } = reading
    const file = { ...fileKinds[format], body: bytes, served: true }
    const { url } = await storage.keep({ accountId: run.accountId, ...file })
    const character_count = countCharacters(reading.text)
    return { url, duration: formatDuration(seconds()), character_count, format }
  })
}

function encodingOf(format: AudioFormat, lengths: readonly AudioLength[]): Encoding {
  const [first] = lengths
  const sampleRate = encodingRate(format, first?.sampleRate ?? 0)
  const samples = lengths
    .map((length) => resampledLength(length.samples, length.sampleRate, sampleRate))
    .reduce((sum, length) => sum + length, 0)
  if (format === 'wav' && samples > MAX_WAV_SAMPLES)
    throw jobFailure(
      'INVALID_OUTPUT',
      `The speech is ${formatDuration(samples / sampleRate)} long, more than the 4 GiB that a WAV file can hold. Ask for mp3 or opus.`,
    )
  return { format, sampleRate, samples }
}

/** `<m> min <s> sec`, to the nearest second; what is heard at all has one. */
function formatDuration(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds))
  return `${Math.floor(whole / 60)} min ${whole % 60} sec`
}

interface SpeechText extends SpeechRequest {
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

/**
 * Characters of one request, also where a provider takes more: its answer is samples, 3 kB for each of them. OpenAI takes 4,096;
 * Gemini cuts longer ones off, and drifts from its voice.
 */
const MAX_CHUNK_LENGTH = 2_000

const maxChunkLength = ({ longestText = MAX_CHUNK_LENGTH }: SpeechProvider): number =>
  Math.min(MAX_CHUNK_LENGTH, longestText)

interface SpeechChunk {
  name: string
  text: string
}

/** Cuts a text into requests that all candidates take and the budget allows; stored, since answers belong to them. */
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
      if (chunks.length <= run.callsLeft) return chunks
      least = Math.min(least, chunks.length)
    }
    throw tooManyCalls('To speak this text', least, run.callsLeft)
  })
  return kept.map((chunk, index) => ({ name: `chunk-${index + 1}`, text: chunk.trim() }))
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

function capableSpeakers(chunks: readonly SpeechChunk[], candidates: readonly SpeechProvider[]) {
  const longest = chunks.reduce((most, { text }) => Math.max(most, text.length), 0)
  const able = candidates.filter((candidate) => maxChunkLength(candidate) >= longest)
  return able.length > 0 ? able : candidates
}

/** Whether there is anything to say: of white space and full stops alone, providers make errors or noise. */
const isAudible = (chunk: string) => /[\p{L}\p{N}\p{S}]/u.test(chunk)
