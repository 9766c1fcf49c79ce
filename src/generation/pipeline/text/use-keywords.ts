import { z } from 'zod'
import type { Block } from '../../../contract/generation/results.ts'
import { ask } from './ask.ts'
import { citationsOf } from './citations.ts'
import { lengthOf } from './count.ts'
import { blocksOfDraft, type Draft, withBlocks } from './draft.ts'
import { inlinesOf } from './inlines.ts'
import { missingIn, overusedKeywords } from './keywords.ts'
import { rules } from './prompts/rules.ts'
import { keywordQuestion } from './prompts/section.ts'
import type { SectionContext } from './section.ts'
import { textOf, wordsOf } from './words.ts'

/** Paragraphs that are written once more for the keywords, at most. */
const MOST = 5

const answerSchema = z.object({ paragraphs: z.array(z.string().max(20_000)).max(2 * MOST) })

/** Writes some paragraphs once more where keywords are missing from the text. */
export async function useKeywords(context: SectionContext, draft: Draft): Promise<void> {
  const { run, writers, sources } = context
  const missing = missingIn(textOf(blocksOfDraft(draft)), run.request.keywords)
  const places = placesIn(draft).slice(0, Math.min(MOST, missing.length))
  if (places.length === 0) return
  const asked = places.map(({ block }, index) => ({
    text: wordsOf(block),
    keywords: missing.filter((_, at) => at % places.length === index),
  }))
  const { answer } = await ask(run, writers, {
    part: 'keywords',
    name: 'paragraphs',
    system: rules(run.request),
    asked: keywordQuestion(asked),
    schema: answerSchema,
    loosen: (json) => ({ paragraphs: textsIn(json) }),
  })
  const fresh = new Map(
    places.flatMap(({ block }, index) => {
      const content = inlinesOf(answer.paragraphs[index] ?? '', citationsOf(sources, run.request.prompt))
      const paragraph: Block = { type: 'paragraph', content }
      const wanted = asked[index]?.keywords ?? []
      const has = missingIn(textOf([paragraph]), wanted).length < wanted.length
      return has && isAsLong(paragraph, block, draft) ? [[block as Block, paragraph]] : []
    }),
  )
  draft.parts = draft.parts.map((part) =>
    withBlocks(
      part,
      part.blocks.map((block) => fresh.get(block) ?? block),
      draft.shape.unit,
    ),
  )
}

/** Says which keywords are missing in the end, or stand in it more often than reads well. */
export function warnOfKeywords({ run }: SectionContext, draft: Draft): void {
  const { keywords } = run.request
  const blocks = blocksOfDraft(draft)
  const missing = missingIn(textOf(blocks), keywords)
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

type Paragraph = Block & { type: 'paragraph' }

/** Paragraphs without links, the longest first: there is room for a word, and nothing to lose. */
function placesIn({ parts, shape }: Draft): { block: Paragraph }[] {
  const paragraphs = parts
    .filter(({ plan }) => plan.role === 'section')
    .flatMap(({ blocks }) => blocks)
    .filter((block) => block.type === 'paragraph')
    .filter(({ content }) => content.every(({ type }) => type !== 'link'))
  return paragraphs
    .map((block) => ({ block, length: lengthOf([block], shape.unit) }))
    .toSorted((one, other) => other.length - one.length)
}

/** Neither half nor twice as long as it was. */
function isAsLong(fresh: Block, old: Block, { shape }: Draft): boolean {
  const ratio = lengthOf([fresh], shape.unit) / Math.max(1, lengthOf([old], shape.unit))
  return ratio > 0.5 && ratio < 2
}

/** The first list of texts in an answer, or of objects that hold one each. */
function textsIn(json: unknown): unknown {
  const list = Array.isArray(json) ? json : Object.values(json as object).find(Array.isArray)
  return list?.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null
      ? Object.values(entry).find((value) => typeof value === 'string')
      : entry,
  )
}
