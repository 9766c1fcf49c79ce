import type { WireBlock } from '../../../contract/generation/results.ts'
import { countCharacters } from '../../../contract/scalars.ts'
import { pluralize } from '../../../lib/text.ts'
import type { JobRun } from '../../jobs/job-run.ts'
import type { PlannedPicture } from '../pictures.ts'
import { languageIndependentStarts } from '../sentences.ts'
import type { Source, StepNeeds } from '../types.ts'
import {
  createLengthCalibration,
  type Draft,
  draftBlocks,
  draftLength,
  isWithinTolerance,
  partBlocks,
  requiredBlockNames,
  type WritingContext,
  writeParts,
} from './draft.ts'
import { cleanLine, cutAtWord, hasText, withFullStop } from './inlines.ts'
import { blocksText, countBlocks, type LengthUnit, lengthUnit } from './measure.ts'
import {
  type Outline,
  type PictureBrief,
  planOutline,
  planShape,
  requestedContent,
  type TextShape,
} from './plan.ts'
import { insertMissingKeywords, repairLength, warnOfKeywords } from './revise.ts'

export interface WrittenDocument {
  title: string
  description: string
  parts: WireBlock[][]
  unit: LengthUnit
  length: number
  /** The pictures it should have, and after which part's beginning each stands; the featured one has none. */
  pictures: (PlannedPicture & { part?: number })[]
}

/** Writes the text of a document: outline, sections, keywords, length. @throws GenerationError */
export async function writeText(
  run: JobRun<'document'>,
  needs: Pick<StepNeeds, 'providers'>,
  sources: readonly Source[],
): Promise<WrittenDocument> {
  await run.enter('generating')
  const writers = needs.providers.text(run.request.text.model)
  const guess = planShape(run.request, lengthUnit(run.request.prompt))
  // The outline decides; until then this tells how far a job is, and what one that is cancelled gets back.
  await run.expect('generating', 2 + guess.sections + Number(guess.closing))
  const outline = await planOutline(run, writers, guess, sources)
  const sections = outline.parts.filter(({ role }) => role === 'section').length
  const pictures = Math.min(guess.pictures, sections)
  // A prompt in one language may ask for a text in another.
  const shape: TextShape = { ...guess, sections, pictures, unit: lengthUnit(outlineText(outline)) }
  const context: WritingContext = { run, writers, shape, sources, pace: createLengthCalibration() }
  await run.expect('generating', outline.parts.length + 1)
  const draft = await writeParts(context, outline)
  await insertMissingKeywords(context, draft)
  await repairLength(context, draft)
  warnOfKeywords(context, draft)
  warnOfLength(run, draft)
  warnOfContent(run, draft)
  return finishText(run, draft)
}

const outlineText = ({ title, parts }: Outline): string =>
  [title, ...parts.flatMap(({ heading, points }) => [heading, ...points])].join('\n')

function warnOfLength(run: JobRun<'document'>, draft: Draft): void {
  const length = draftLength(draft)
  const { length: wanted, unit } = draft.shape
  if (isWithinTolerance(length, wanted)) return
  run.warn({
    code: 'text_length_missed',
    message: `The text has ${pluralize(length, unit === 'words' ? 'word' : 'character')}; ${wanted} were asked for. The language model did not keep to the length, nor did two repairs.`,
  })
}

const contentMissed = {
  table: 'The prompt or the outline names a table, and the text has none.',
  code: 'The prompt or the outline names code, and the text has none.',
} as const

/** The words of a prompt are known in some languages; of the others the outline tells. */
function warnOfContent(run: JobRun<'document'>, draft: Draft): void {
  const types = draftBlocks(draft).map(({ type }) => type)
  for (const kind of ['table', 'code'] as const) {
    const isNamed = requestedContent[kind].test(run.request.prompt)
    const isPlanned = draft.outline.parts.some(({ holds }) => holds === kind)
    if ((isNamed || isPlanned) && !types.includes(requiredBlockNames[kind]))
      run.warn({ code: 'content_missed', message: contentMissed[kind] })
  }
}

function finishText(run: JobRun<'document'>, draft: Draft): WrittenDocument {
  const { outline, shape } = draft
  const blocks = draftBlocks(draft)
  const [paragraphs, others] = [true, false].map((wanted) =>
    blocksText(blocks.filter(({ type }) => type !== 'heading' && (type === 'paragraph') === wanted)),
  )
  return {
    title: outline.title,
    description: metaDescription(outline.description, `${paragraphs}\n${others}`),
    parts: draft.parts.map(partBlocks),
    unit: shape.unit,
    length: countBlocks(blocks, shape.unit),
    pictures: run.request.image.enabled ? picturesOf(draft) : [],
  }
}

function picturesOf({ outline, shape, parts }: Draft): WrittenDocument['pictures'] {
  const sections = parts.flatMap(({ plan }, index) => (plan.role === 'section' ? [{ plan, index }] : []))
  const step = sections.length / Math.max(1, shape.pictures)
  const chosen = sections.filter(
    (_, at) => shape.pictures > 0 && Math.floor(at / step) !== Math.floor((at - 1) / step),
  )
  return [
    plannedPicture('featured', outline.picture, outline.title),
    ...chosen.slice(0, shape.pictures).map(({ plan, index }) => ({
      ...plannedPicture(`section-${index + 1}`, plan.picture, `${outline.title}: ${plan.heading}`),
      part: index,
    })),
  ]
}

const plannedPicture = (name: string, { subject, alt }: PictureBrief, otherwise: string): PlannedPicture => ({
  name,
  subject: [subject, alt].find(hasText) ?? otherwise,
  alt: [alt, subject].find(hasText) ?? otherwise,
})

/** Characters of a description: what search engines show of it. */
const MIN_DESCRIPTION_LENGTH = 50
const MAX_DESCRIPTION_LENGTH = 160

/** A description of 50 to 160 characters: what was written, made longer by the beginning of the text where it is too short. */
export function metaDescription(written: string, text: string): string {
  const own = cleanLine(written)
  const all = countCharacters(own) >= MIN_DESCRIPTION_LENGTH ? own : cleanLine(`${withFullStop(own)} ${text}`)
  return cutAtSentence(all)
}

/** Characters behind the longest one, which say whether a sentence has ended there. */
const LOOKAHEAD = 40

function cutAtSentence(text: string): string {
  const all = [...text]
  if (all.length <= MAX_DESCRIPTION_LENGTH) return text
  const ends = languageIndependentStarts(all.slice(0, MAX_DESCRIPTION_LENGTH + LOOKAHEAD).join('')).map(
    (start) => text.slice(0, start).trimEnd(),
  )
  const sentences = ends.findLast((one) => countCharacters(one) <= MAX_DESCRIPTION_LENGTH)
  return sentences !== undefined && countCharacters(sentences) >= MIN_DESCRIPTION_LENGTH
    ? sentences
    : cutAtWord(text, MAX_DESCRIPTION_LENGTH)
}
