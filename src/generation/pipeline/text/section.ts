import type { Block } from '../../../contract/generation/results.ts'
import type { JobRun } from '../../jobs/run.ts'
import type { TextProvider } from '../../providers/types.ts'
import type { Source } from '../types.ts'
import { ask } from './ask.ts'
import { blocksOf, comparable, type Frame, withoutCutEnd } from './blocks.ts'
import { citationsOf } from './citations.ts'
import { overusedKeywords } from './keywords.ts'
import { shortParagraphs } from './news.ts'
import type { Holds, PlannedPart } from './outline-schema.ts'
import { rules } from './prompts/rules.ts'
import { loosenSection, sectionSchema } from './section-schema.ts'
import type { Shape } from './shape.ts'

/** Who writes, for whom, and what may be cited. */
export interface SectionContext {
  run: JobRun<'document'>
  writers: readonly TextProvider[]
  shape: Shape
  sources: readonly Source[]
}

/** Blocks that a part may have to hold. */
const kinds = { list: 'list', table: 'table', code: 'code_block' } as const satisfies Partial<
  Record<Holds, Block['type']>
>

/**
 * Asks for some text, as blocks.
 *
 * @param plan the part it belongs to
 * @param whole whether it is all of the part, which then holds what it was planned to hold
 */
export async function writeBlocks(
  { run, writers, shape, sources }: SectionContext,
  asked: { part: string; question: object; plan: PlannedPart; whole: boolean },
): Promise<Block[]> {
  const { plan, whole } = asked
  const { prompt, keywords } = run.request
  const quotable = comparable([prompt, ...sources.map(({ text }) => text)].join('\n'))
  // A page is linked once in a part: each reading starts anew.
  const frame = (): Frame => ({
    heading: plan.heading,
    // A level below none would be out of order.
    divided: whole && plan.role === 'section' && shape.kind === 'article' && plan.heading !== '',
    citations: citationsOf(sources, prompt),
    quotable,
  })
  const { answer, whole: uncut } = await ask(run, writers, {
    part: asked.part,
    name: 'section',
    system: rules(run.request),
    asked: asked.question,
    schema: sectionSchema,
    loosen: loosenSection,
    unusable: (answer) =>
      blocksOf(answer, frame()).length === 0
        ? 'blocks: none of them has any text, only addresses or ids of unknown sources'
        : undefined,
    complaints: (answer) => {
      const blocks = blocksOf(answer, frame())
      const stuffed = overusedKeywords(blocks, shape.unit, keywords)
      return [
        ...(whole ? lacking(blocks, plan.holds) : []),
        ...stuffed.map(
          (word) => `${JSON.stringify(word)} appears in it too often: use other words for most of them`,
        ),
      ]
    },
  })
  const blocks = blocksOf(uncut ? answer : withoutCutEnd(answer), frame())
  return shape.kind === 'news' ? shortParagraphs(blocks) : blocks
}

function lacking(blocks: readonly Block[], holds: Holds): string[] {
  if (holds === 'text' || blocks.some(({ type }) => type === kinds[holds])) return []
  return [`blocks: this part must hold ${holds === 'code' ? 'a block of code' : `a ${holds}`}, and has none`]
}
