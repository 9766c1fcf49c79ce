import { lengthOf } from './count.ts'
import { blocksOfPart, type Draft, headingBlocks, lengthOfDraft, withBlocks } from './draft.ts'
import { missingIn } from './keywords.ts'
import type { Outline, PlannedPart } from './outline-schema.ts'
import type { Pace } from './pace.ts'
import { sectionQuestion } from './prompts/section.ts'
import { type SectionContext, writeBlocks } from './section.ts'
import { leastOf, weightsOf } from './shape.ts'
import { textOf } from './words.ts'

/** Characters of what was written before, that a part goes on from. */
const BEFORE = 600

/**
 * Writes the parts of an outline one after the other, each to its share of what is left: what one misses, the others make up
 * for, and the last one is short.
 */
export async function writeParts(context: SectionContext, outline: Outline, pace: Pace): Promise<Draft> {
  const { run, shape } = context
  const weights = weightsOf(shape, outline.parts.filter(({ role }) => role === 'section').length)
  const draft: Draft = { outline, shape, parts: [] }
  let missing: readonly string[] = run.request.keywords
  for (const [index, plan] of outline.parts.entries()) {
    const later = outline.parts.slice(index)
    const left = shape.length - lengthOfDraft(draft) - lengthOf(later.flatMap(headingBlocks), shape.unit)
    // An ending for which there is no room is none.
    if (plan.role === 'closing' && left < leastOf(shape)) continue
    const share = (weights[index] ?? 0) / sum(weights.slice(index))
    const budget = Math.max(leastOf(shape), Math.round(left * share))
    const length = pace.ask(budget)
    const question = sectionQuestion(run.request, shape, {
      outline,
      part: plan,
      length,
      sources: sourcesFor(plan, context),
      keywords: missing.slice(0, Math.ceil(missing.length / later.length)),
      before: textOf(draft.parts.slice(-1).flatMap(blocksOfPart)).slice(-BEFORE),
    })
    const blocks = await writeBlocks(context, { part: `section-${index + 1}`, question, plan, whole: true })
    pace.note(length, lengthOf(blocks, shape.unit))
    draft.parts.push(withBlocks({ plan, budget }, blocks, shape.unit))
    missing = missingIn(textOf(blocks), missing)
  }
  return draft
}

/** Those that it was planned with, or else the first ones. */
export function sourcesFor(plan: PlannedPart, { sources }: SectionContext): SectionContext['sources'] {
  const planned = sources.filter(({ id }) => plan.sources.includes(id))
  return planned.length > 0 ? planned : sources.slice(0, 3)
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0)
