import type { Block } from '../../../contract/generation/results.ts'
import { lengthOf } from './count.ts'
import { type Draft, isWithin, lengthOfDraft, type Part, withBlocks } from './draft.ts'
import { missingIn, occurrences } from './keywords.ts'
import type { Pace } from './pace.ts'
import { passageQuestion, shorterQuestion } from './prompts/section.ts'
import { type SectionContext, writeBlocks } from './section.ts'
import { leastOf } from './shape.ts'
import { textOf } from './words.ts'
import { sourcesFor } from './write.ts'

/** Questions that are asked only for the length, at most. */
const REPAIRS = 2

/** Of a passage that is said in less, so much stays at least. */
const LEAST_LEFT = 0.15

/**
 * Brings a text to its length: what is missing is written as a passage of just that length, and where there is too much, a
 * passage hardly longer than that is said in a few words. Either misses little, since little is asked for.
 */
export async function repairLength(context: SectionContext, draft: Draft, pace: Pace): Promise<void> {
  for (let times = 1; times <= REPAIRS; times += 1) {
    const length = lengthOfDraft(draft)
    if (isWithin(length, draft.shape.length)) return
    const before = draft.parts
    const part = `length-${times}`
    if (length < draft.shape.length) await writeMore(context, draft, pace, part, draft.shape.length - length)
    else await sayInLess(context, draft, pace, part, length - draft.shape.length)
    // What misses by more than was missing does not help.
    if (distance(lengthOfDraft(draft), draft) > distance(length, draft)) draft.parts = before
  }
}

const distance = (length: number, { shape }: Draft): number => Math.abs(length - shape.length)

async function writeMore(
  context: SectionContext,
  draft: Draft,
  pace: Pace,
  name: string,
  lacking: number,
): Promise<void> {
  const { outline, shape } = draft
  const part = shortest(draft)
  if (part === undefined) return
  const length = pace.ask(lacking)
  const question = passageQuestion(context.run.request, shape, {
    outline,
    part: part.plan,
    length,
    sources: sourcesFor(part.plan, context),
    keywords: missingIn(
      textOf(draft.parts.flatMap(({ blocks }) => blocks)),
      context.run.request.keywords,
    ).slice(0, 2),
    before: textOf(part.blocks).slice(-2_000),
  })
  const blocks = await writeBlocks(context, { part: name, question, plan: part.plan, whole: false })
  pace.note(length, lengthOf(blocks, shape.unit))
  replace(draft, part, [...part.blocks, ...blocks])
}

/** The section that has the least of what was wanted of it; the opening and the closing stay short. */
function shortest({ parts }: Draft): Part | undefined {
  const sections = parts.filter(({ plan }) => plan.role === 'section')
  const short = ({ budget, length }: Part) => budget - length
  return sections.toSorted((one, other) => short(other) - short(one))[0] ?? parts[0]
}

/** Paragraphs of a part that follow each other. */
interface Run {
  part: Part
  from: number
  to: number
  length: number
}

async function sayInLess(
  context: SectionContext,
  draft: Draft,
  pace: Pace,
  name: string,
  surplus: number,
): Promise<void> {
  const { outline, shape } = draft
  const run = runFor(draft, surplus)
  if (run === undefined) return
  const { part, from, to } = run
  const left = Math.round(Math.max(run.length - surplus, leastLeft(run, draft)))
  const length = pace.ask(left)
  const paragraphs = part.blocks.slice(from, to)
  const text = textOf(paragraphs)
  const question = shorterQuestion(context.run.request, shape, {
    outline,
    text,
    length,
    keep: context.run.request.keywords.filter((keyword) => occurrences(text, keyword) > 0),
    sources: sourcesFor(part.plan, context),
  })
  const blocks = await writeBlocks(context, { part: name, question, plan: part.plan, whole: false })
  pace.note(length, lengthOf(blocks, shape.unit))
  replace(draft, part, [...part.blocks.slice(0, from), ...blocks, ...part.blocks.slice(to)])
}

function replace(draft: Draft, part: Part, blocks: readonly Block[]): void {
  const fresh = withBlocks(part, blocks, draft.shape.unit)
  draft.parts = draft.parts.map((other) => (other === part ? fresh : other))
}

/** Of all runs that are long enough the shortest, so that little is left to miss; where there is none, the longest. */
export function runFor(draft: Draft, surplus: number): Run | undefined {
  const isEnough = (length: number) => length - surplus >= leastLeft({ length }, draft)
  const runs = draft.parts.flatMap((part) => runsOf(part, draft, isEnough))
  const enough = runs.filter(({ length }) => isEnough(length))
  return (
    enough.toSorted((one, other) => one.length - other.length)[0] ??
    runs.toSorted((one, other) => other.length - one.length)[0]
  )
}

const leastLeft = ({ length }: Pick<Run, 'length'>, { shape }: Draft): number =>
  Math.max(leastOf(shape) / 2, LEAST_LEFT * length)

/**
 * From every paragraph of a part the shortest run that is long enough, or else the longest. All runs of a text that a model
 * went on and on with would be hundreds of millions.
 */
function runsOf(part: Part, { shape }: Draft, isEnough: (length: number) => boolean): Run[] {
  const lengths = part.blocks.map((block) => (isPlain(block) ? lengthOf([block], shape.unit) : undefined))
  const runs: Run[] = []
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

const isPlain = ({ type }: Block): boolean => type === 'paragraph'
