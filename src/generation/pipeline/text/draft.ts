import type { WireBlock } from '../../../contract/generation/results.ts'
import { ending } from '../../../lib/text.ts'
import type { JobRun } from '../../jobs/job-run.ts'
import type { TextProvider } from '../../providers/types.ts'
import type { Source } from '../types.ts'
import { askModel } from './ask-model.ts'
import { dropTruncatedEnd, normalisedWords, type PartFrame, splitLongParagraphs, toBlocks } from './blocks.ts'
import { createCitations } from './inlines.ts'
import { blocksText, countBlocks, type LengthUnit, missingKeywords, overusedKeywords } from './measure.ts'
import {
  lengthWeights,
  minPartLength,
  type Outline,
  type PlannedPart,
  type RequiredContent,
  type TextShape,
} from './plan.ts'
import { sectionQuestion, systemPrompt } from './prompts.ts'
import { coerceSection, sectionSchema } from './section-schema.ts'

export interface DraftPart {
  plan: PlannedPart
  blocks: readonly WireBlock[]
  length: number
  budget: number
}

export interface Draft {
  outline: Outline
  shape: TextShape
  parts: DraftPart[]
}

const headingBlocks = ({ heading }: PlannedPart): WireBlock[] =>
  heading === '' ? [] : [{ type: 'heading', level: 2, text: heading }]

export const partBlocks = ({ plan, blocks }: DraftPart): WireBlock[] => [...headingBlocks(plan), ...blocks]

export const draftBlocks = ({ parts }: Draft): WireBlock[] => parts.flatMap(partBlocks)

export const draftLength = ({ parts }: Draft): number => parts.reduce((all, { length }) => all + length, 0)

export function createPart(
  part: Omit<DraftPart, 'length' | 'blocks'>,
  blocks: readonly WireBlock[],
  unit: LengthUnit,
): DraftPart {
  return { ...part, blocks, length: countBlocks([...headingBlocks(part.plan), ...blocks], unit) }
}

const LENGTH_TOLERANCE = 0.1

export const isWithinTolerance = (length: number, wanted: number): boolean =>
  Math.abs(length - wanted) <= LENGTH_TOLERANCE * wanted

export interface LengthCalibration {
  /** What to ask for so that about so much comes. */
  ask(wanted: number): number
  note(asked: number, came: number): void
}

/** As many answers as what is expected of a writer, that it keeps to the length, counts for. */
const PRIOR_WEIGHT = 2
const MAX_CORRECTION = 3

/** The habit is the mean of what came by what was asked for, as a ratio; a single miss is no habit yet. */
export function createLengthCalibration(): LengthCalibration {
  let sum = 0
  let answers = 0
  return {
    ask: (wanted) => {
      const habit = Math.exp(sum / (answers + PRIOR_WEIGHT))
      return Math.max(1, Math.round(wanted / Math.min(MAX_CORRECTION, Math.max(1 / MAX_CORRECTION, habit))))
    },
    note: (asked, came) => {
      if (asked <= 0 || came <= 0) return
      sum += Math.log(came / asked)
      answers += 1
    },
  }
}

export interface WritingContext {
  run: JobRun<'document'>
  writers: readonly TextProvider[]
  shape: TextShape
  sources: readonly Source[]
  pace: LengthCalibration
}

export const requiredBlockNames = {
  list: 'list',
  table: 'table',
  code: 'code_block',
} as const satisfies Partial<Record<RequiredContent, WireBlock['type']>>

/** Asks for text, as blocks. @param whole whether it is the whole part, with its planned content */
export async function writeBlocks(
  { run, writers, shape, sources }: WritingContext,
  asked: { part: string; question: object; plan: PlannedPart; whole: boolean },
): Promise<WireBlock[]> {
  const { plan, whole } = asked
  const { prompt, keywords } = run.request
  const quotable = normalisedWords([prompt, ...sources.map(({ text }) => text)].join('\n'))
  // A page is linked once in a part: each reading starts anew.
  const frame = (): PartFrame => ({
    heading: plan.heading,
    // A level below none would be out of order.
    divided: whole && plan.role === 'section' && shape.kind === 'article' && plan.heading !== '',
    citations: createCitations(sources, prompt),
    quotable,
  })
  const { answer, whole: uncut } = await askModel(run, writers, {
    part: asked.part,
    name: 'section',
    system: systemPrompt(run),
    asked: asked.question,
    schema: sectionSchema,
    loosen: coerceSection,
    unusable: (answer) =>
      toBlocks(answer, frame()).length === 0
        ? 'blocks: none of them has any text, only addresses or ids of unknown sources'
        : undefined,
    complaints: (answer) => {
      const blocks = toBlocks(answer, frame())
      const stuffed = overusedKeywords(blocks, shape.unit, keywords)
      return [
        ...(whole ? missingContent(blocks, plan.holds) : []),
        ...stuffed.map(
          (word) => `${JSON.stringify(word)} appears in it too often: use other words for most of them`,
        ),
      ]
    },
  })
  const blocks = toBlocks(uncut ? answer : dropTruncatedEnd(answer), frame())
  return shape.kind === 'news' ? splitLongParagraphs(blocks) : blocks
}

function missingContent(blocks: readonly WireBlock[], holds: RequiredContent): string[] {
  if (holds === 'text' || blocks.some(({ type }) => type === requiredBlockNames[holds])) return []
  return [`blocks: this part must hold ${holds === 'code' ? 'a block of code' : `a ${holds}`}, and has none`]
}

/** Characters of what was written before, that a part goes on from. */
const PRECEDING_TEXT_LENGTH = 600

/** Writes the parts in order, each to its share of the rest, so that later ones make up for misses. */
export async function writeParts(context: WritingContext, outline: Outline): Promise<Draft> {
  const { run, shape, pace } = context
  const weights = lengthWeights(shape, outline.parts.filter(({ role }) => role === 'section').length)
  const draft: Draft = { outline, shape, parts: [] }
  let missing: readonly string[] = run.request.keywords
  for (const [index, plan] of outline.parts.entries()) {
    const later = outline.parts.slice(index)
    const left = shape.length - draftLength(draft) - countBlocks(later.flatMap(headingBlocks), shape.unit)
    // An ending for which there is no room is none.
    if (plan.role === 'closing' && left < minPartLength(shape)) continue
    const share = (weights[index] ?? 0) / sum(weights.slice(index))
    const budget = Math.max(minPartLength(shape), Math.round(left * share))
    const length = pace.ask(budget)
    const question = sectionQuestion(run.request, shape, {
      outline,
      part: plan,
      length,
      sources: plannedSources(plan, context),
      keywords: missing.slice(0, Math.ceil(missing.length / later.length)),
      before: ending(blocksText(draft.parts.slice(-1).flatMap(partBlocks)), PRECEDING_TEXT_LENGTH),
    })
    const blocks = await writeBlocks(context, { part: `section-${index + 1}`, question, plan, whole: true })
    pace.note(length, countBlocks(blocks, shape.unit))
    draft.parts.push(createPart({ plan, budget }, blocks, shape.unit))
    missing = missingKeywords(blocksText(blocks), missing)
  }
  return draft
}

export function plannedSources(plan: PlannedPart, { sources }: WritingContext): WritingContext['sources'] {
  const planned = sources.filter(({ id }) => plan.sources.includes(id))
  return planned.length > 0 ? planned : sources.slice(0, 3)
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0)
