import type {
  AudioResult,
  DocumentResult,
  WireBlock,
  WireInline,
} from '../../../contract/generation/results.ts'
import { GenerationError } from '../../failure.ts'
import type { JobRun } from '../../jobs/job.ts'
import type { SpeechProvider } from '../../providers/types.ts'
import { type LengthUnit, lengthUnit } from '../text/measure.ts'
import { planShape } from '../text/plan.ts'
import type { StepNeeds } from '../types.ts'
import { maxChunkLength, synthesiseAudio } from './synthesise.ts'

/** Characters that a word, or a character, takes at least in a text of some length, and the space behind it. */
const MIN_CHARACTERS_PER_UNIT: Record<LengthUnit, number> = { words: 5, characters: 1 }

/** Languages without spaces between words, in which characters are counted. */
const unspaced = /^(zh|cmn|yue|ja|th|lo|km|my)\b/i

/** A text may be a tenth shorter than what was asked for. */
const MIN_LENGTH_RATIO = 0.9

/**
 * Refuses a document whose narration needs more calls than its job may have, before its text is
 * paid for. Only the minimum is known then; closer cases fail when spoken.
 *
 * @throws GenerationError
 */
export function checkNarrationBudget(run: JobRun<'document'>, candidates: readonly SpeechProvider[]): void {
  const { request, mostCalls } = run
  if (!request.audio.enabled || candidates.length === 0) return
  // A prompt in English may ask for a text in Chinese, of which so many characters are far less.
  const unit = unspaced.test(request.audio.language) ? 'characters' : lengthUnit(request.prompt)
  const characters = request.text.length * MIN_CHARACTERS_PER_UNIT[unit] * MIN_LENGTH_RATIO
  const spoken = Math.ceil(characters / Math.max(...candidates.map(maxChunkLength)))
  // The outline and each section.
  const needed = 1 + planShape(request, unit).sections + spoken
  if (needed > mostCalls) throw tooManyCalls(needed, mostCalls)
}

const tooManyCalls = (needed: number, most: number): GenerationError =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'job',
    message: `To write this document and to speak it takes at least ${needed} calls to providers, and a job may have ${most} (GALLEY_JOB_CALLS), so none was made. Ask for a shorter text or for no narration (audio.enabled), raise the setting, or name a provider that takes longer texts (longest_text).`,
  })

/**
 * What a person would read aloud of a document: title and text without code and pictures; a link is
 * its text, a table row one sentence with its column heads.
 */
export function narrationText({ title, content }: Pick<DocumentResult, 'title' | 'content'>): string {
  const blocks = content.content
  const [first] = blocks
  // A document may begin with its own title.
  const repeats = first?.type === 'heading' && first.text.trim() === title.trim()
  const read = (repeats ? blocks.slice(1) : blocks).map(spoken)
  return [withFullStop(title), ...read].filter((text) => text !== '').join('\n\n')
}

const blockReaders = {
  heading: ({ text }) => withFullStop(text),
  paragraph: ({ content }) => withFullStop(content.map(inline).join('')),
  list: ({ items, ordered }) =>
    items
      .filter(hasText)
      .map((item, index) => withFullStop(ordered ? `${index + 1}: ${item}` : item))
      .join('\n'),
  table: ({ headers, rows }) =>
    rows
      .map((row) => tableRow(headers, row))
      .filter(hasText)
      .join('\n'),
  quote: ({ value }) => withFullStop(value),
  code_block: () => '',
  image: () => '',
} satisfies { [Type in WireBlock['type']]: (block: Extract<WireBlock, { type: Type }>) => string }

const spoken = (block: WireBlock): string => (blockReaders[block.type] as (block: WireBlock) => string)(block)

const inline = ({ text }: WireInline): string => text

function tableRow(headers: string[], row: string[]): string {
  const cells = row.map((cell, column) => {
    const head = headers[column]?.trim() ?? ''
    return head === '' || !hasText(cell) ? cell.trim() : `${head}: ${cell.trim()}`
  })
  return withFullStop(cells.filter(hasText).join(', '))
}

const hasText = (text: string) => /[\p{L}\p{N}]/u.test(text)

/** With a full stop, so that a voice makes its pause: headings and items of lists have none. */
function withFullStop(text: string): string {
  const trimmed = text.trim()
  if (!hasText(trimmed)) return ''
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(trimmed)) return `${trimmed}。`
  return /[\p{L}\p{M}\p{N}%)\]]$/u.test(trimmed) ? `${trimmed}.` : trimmed
}

type SpeechNeeds = Pick<StepNeeds, 'providers'> & { storage: Pick<StepNeeds['storage'], 'keep'> }

/** An audio job: its text, spoken. */
export async function makeAudio(
  run: JobRun<'audio'>,
  { providers, storage }: SpeechNeeds,
): Promise<AudioResult> {
  await run.enter('generating')
  return synthesiseAudio(run, 'generating', storage, providers.speech(run.request.model), run.request)
}

/** The narration of a document: its title and its text, spoken. */
export async function makeNarration(
  run: JobRun<'document'>,
  { providers, storage }: SpeechNeeds,
  document: Pick<DocumentResult, 'title' | 'content'>,
): Promise<AudioResult> {
  await run.enter('audio')
  const { audio } = run.request
  const reading = { ...audio, text: narrationText(document) }
  return synthesiseAudio(run, 'audio', storage, providers.speech(audio.model), reading)
}
