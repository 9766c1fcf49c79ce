import { z } from 'zod'
import type { WireBlock } from '../../../contract/generation/results.ts'
import { ending } from '../../../lib/text.ts'
import { askModel, coerceTexts, LEFT_UNREVISED } from './ask-model.ts'
import {
  createPart,
  type Draft,
  type DraftPart,
  draftBlocks,
  draftLength,
  isWithinTolerance,
  plannedSources,
  type WritingContext,
  writeBlocks,
} from './draft.ts'
import { createCitations, parseInlines } from './inlines.ts'
import { blocksText, countBlocks, keywordOccurrences, missingKeywords, overusedKeywords } from './measure.ts'
import { minPartLength } from './plan.ts'
import { keywordQuestion, passageQuestion, shorterQuestion, systemPrompt } from './prompts.ts'

/** Makes a revision that the text can do without. A failure leaves the draft as it is. */
const revise = <Made>({ run }: WritingContext, name: string, make: () => Promise<Made>) =>
  run.makeOrLeaveOut({ step: 'generating', name }, LEFT_UNREVISED, make)

const MAX_REPAIRS = 2

const MIN_SHORTENED_RATIO = 0.15

/** Adds a passage of the missing length, or shortens one hardly longer than the surplus. */
export async function repairLength(context: WritingContext, draft: Draft): Promise<void> {
  for (let times = 1; times <= MAX_REPAIRS; times += 1) {
    const length = draftLength(draft)
    if (isWithinTolerance(length, draft.shape.length)) return
    const before = draft.parts
    const part = `length-${times}`
    const lacking = draft.shape.length - length
    await revise(context, part, () =>
      lacking > 0 ? extendSection(context, draft, part, lacking) : shortenRun(context, draft, part, -lacking),
    )
    // What misses by more than was missing does not help.
    if (lengthError(draftLength(draft), draft) > lengthError(length, draft)) draft.parts = before
  }
}

const lengthError = (length: number, { shape }: Draft): number => Math.abs(length - shape.length)

async function extendSection(context: WritingContext, draft: Draft, name: string, lacking: number) {
  const { run, pace } = context
  const { outline, shape } = draft
  const part = shortestSection(draft)
  if (part === undefined) return
  const length = pace.ask(lacking)
  const question = passageQuestion(run.request, shape, {
    outline,
    part: part.plan,
    length,
    sources: plannedSources(part.plan, context),
    keywords: missingKeywords(
      blocksText(draft.parts.flatMap(({ blocks }) => blocks)),
      run.request.keywords,
    ).slice(0, 2),
    before: ending(blocksText(part.blocks), 2_000),
  })
  const blocks = await writeBlocks(context, { part: name, question, plan: part.plan, whole: false })
  pace.note(length, countBlocks(blocks, shape.unit))
  replaceRun(draft, part, [...part.blocks, ...blocks])
}

/** The section that has the least of what was wanted of it; the opening and the closing stay short. */
function shortestSection({ parts }: Draft): DraftPart | undefined {
  const sections = parts.filter(({ plan }) => plan.role === 'section')
  const short = ({ budget, length }: DraftPart) => budget - length
  return sections.toSorted((one, other) => short(other) - short(one))[0] ?? parts[0]
}

interface ParagraphRun {
  part: DraftPart
  from: number
  to: number
  length: number
}

async function shortenRun(context: WritingContext, draft: Draft, name: string, surplus: number) {
  const { pace } = context
  const { outline, shape } = draft
  const run = findRun(draft, surplus)
  if (run === undefined) return
  const { part, from, to } = run
  const left = Math.round(Math.max(run.length - surplus, minShortenedLength(run, draft)))
  const length = pace.ask(left)
  const paragraphs = part.blocks.slice(from, to)
  const text = blocksText(paragraphs)
  const question = shorterQuestion(context.run.request, shape, {
    outline,
    text,
    length,
    keep: context.run.request.keywords.filter((keyword) => keywordOccurrences(text, keyword) > 0),
    sources: plannedSources(part.plan, context),
  })
  const blocks = await writeBlocks(context, { part: name, question, plan: part.plan, whole: false })
  pace.note(length, countBlocks(blocks, shape.unit))
  replaceRun(draft, part, [...part.blocks.slice(0, from), ...blocks, ...part.blocks.slice(to)])
}

function replaceRun(draft: Draft, part: DraftPart, blocks: readonly WireBlock[]): void {
  const fresh = createPart(part, blocks, draft.shape.unit)
  draft.parts = draft.parts.map((other) => (other === part ? fresh : other))
}

/** Of all runs that are long enough the shortest, so that little is left to miss; where there is none, the longest. */
export function findRun(draft: Draft, surplus: number): ParagraphRun | undefined {
  const isEnough = (length: number) => length - surplus >= minShortenedLength({ length }, draft)
  const runs = draft.parts.flatMap((part) => runsInPart(part, draft, isEnough))
  const enough = runs.filter(({ length }) => isEnough(length))
  return (
    enough.toSorted((one, other) => one.length - other.length)[0] ??
    runs.toSorted((one, other) => other.length - one.length)[0]
  )
}

const minShortenedLength = ({ length }: Pick<ParagraphRun, 'length'>, { shape }: Draft): number =>
  Math.max(minPartLength(shape) / 2, MIN_SHORTENED_RATIO * length)

/** From every paragraph the shortest run that is long enough, else the longest: all would be too many. */
function runsInPart(part: DraftPart, { shape }: Draft, isEnough: (length: number) => boolean) {
  const lengths = part.blocks.map((block) =>
    block.type === 'paragraph' ? countBlocks([block], shape.unit) : undefined,
  )
  const runs: ParagraphRun[] = []
  let to = 0
  let length = 0
  for (const [from, own] of lengths.entries()) {
    if (own === undefined) continue
    if (to <= from) [to, length] = [from + 1, own]
    for (let next = lengths[to]; next !== undefined && !isEnough(length); next = lengths[to]) {
      length += next
      to += 1
    }
    runs.push({ part, from, to, length })
    length -= own
  }
  return runs
}

const MAX_REWRITES = 5

const answerSchema = z.object({ paragraphs: z.array(z.string().max(20_000)).max(2 * MAX_REWRITES) })

export async function insertMissingKeywords(context: WritingContext, draft: Draft): Promise<void> {
  const { run, writers, sources } = context
  const missing = missingKeywords(blocksText(draftBlocks(draft)), run.request.keywords)
  const places = rewritableParagraphs(draft).slice(0, Math.min(MAX_REWRITES, missing.length))
  if (places.length === 0) return
  const asked = places.map(({ block }, index) => ({
    text: blocksText([block]),
    keywords: missing.filter((_, at) => at % places.length === index),
  }))
  const rewritten = await revise(context, 'keywords', () =>
    askModel(run, writers, {
      part: 'keywords',
      name: 'paragraphs',
      system: systemPrompt(run),
      asked: keywordQuestion(asked),
      schema: answerSchema,
      loosen: (json) => ({ paragraphs: coerceTexts(json) }),
    }),
  )
  if (rewritten === undefined) return
  const { answer, whole } = rewritten
  // The last one of an answer that was cut off has lost its end.
  const paragraphs = whole ? answer.paragraphs : answer.paragraphs.slice(0, -1)
  const fresh = new Map(
    places.flatMap(({ block }, index) => {
      const content = parseInlines(paragraphs[index] ?? '', createCitations(sources, run.request.prompt))
      const paragraph: WireBlock = { type: 'paragraph', content }
      const wanted = asked[index]?.keywords ?? []
      const has = missingKeywords(blocksText([paragraph]), wanted).length < wanted.length
      return has && hasSimilarLength(paragraph, block, draft) ? [[block as WireBlock, paragraph]] : []
    }),
  )
  draft.parts = draft.parts.map((part) =>
    createPart(
      part,
      part.blocks.map((block) => fresh.get(block) ?? block),
      draft.shape.unit,
    ),
  )
}

/** Says which keywords are missing in the end, or stand in it more often than reads well. */
export function warnOfKeywords({ run }: WritingContext, draft: Draft): void {
  const { keywords } = run.request
  const blocks = draftBlocks(draft)
  const missing = missingKeywords(blocksText(blocks), keywords)
  const stuffed = overusedKeywords(blocks, draft.shape.unit, keywords)
  if (missing.length > 0)
    run.warn({
      code: 'keyword_missing',
      message: `The text does not have these keywords: ${missing.join(', ')}.`,
    })
  if (stuffed.length > 0)
    run.warn({
      code: 'keyword_stuffed',
      message: `The text has these keywords more often than reads well: ${stuffed.join(', ')}.`,
    })
}

type ParagraphBlock = WireBlock & { type: 'paragraph' }

/** Paragraphs without links, the longest first: there is room for a word, and nothing to lose. */
function rewritableParagraphs({ parts, shape }: Draft): { block: ParagraphBlock }[] {
  const paragraphs = parts
    .filter(({ plan }) => plan.role === 'section')
    .flatMap(({ blocks }) => blocks)
    .filter((block) => block.type === 'paragraph')
    .filter(({ content }) => content.every(({ type }) => type !== 'link'))
  return paragraphs
    .map((block) => ({ block, length: countBlocks([block], shape.unit) }))
    .toSorted((one, other) => other.length - one.length)
}

function hasSimilarLength(fresh: WireBlock, old: WireBlock, { shape }: Draft): boolean {
  const ratio = countBlocks([fresh], shape.unit) / Math.max(1, countBlocks([old], shape.unit))
  return ratio > 0.5 && ratio < 2
}
