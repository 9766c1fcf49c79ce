import type { Block } from '../../../contract/generation/results.ts'
import { counted } from '../../../text.ts'
import type { JobRun } from '../../jobs/run.ts'
import type { WantedPicture } from '../pictures/index.ts'
import type { Research, StepNeeds } from '../types.ts'
import { lengthOf, type Unit, unitOf } from './count.ts'
import { descriptionOf } from './description.ts'
import { blocksOfDraft, blocksOfPart, type Draft, isWithin, lengthOfDraft } from './draft.ts'
import { planOutline } from './outline.ts'
import type { Outline, PictureWords } from './outline-schema.ts'
import { startPace } from './pace.ts'
import { repairLength } from './repair-length.ts'
import type { SectionContext } from './section.ts'
import { type Shape, shapeOf } from './shape.ts'
import { useKeywords, warnOfKeywords } from './use-keywords.ts'
import { textOf } from './words.ts'
import { writeParts } from './write.ts'

/** A finished text, without its pictures. */
export interface Text {
  title: string
  description: string
  /** The parts in reading order, each with its heading. */
  parts: Block[][]
  unit: Unit
  length: number
  /** The pictures it should have, and after which part's beginning each stands; the featured one has none. */
  pictures: (WantedPicture & { part?: number })[]
}

/**
 * Writes the text of a document: outline, sections, keywords, length.
 *
 * @throws GenerationError
 */
export async function writeText(
  run: JobRun<'document'>,
  needs: Pick<StepNeeds, 'providers'>,
  { sources }: Research,
): Promise<Text> {
  await run.enter('generating')
  const writers = needs.providers.text(run.request.text.model)
  const guess = shapeOf(run.request, unitOf(run.request.prompt))
  const outline = await planOutline(run, writers, guess, sources)
  // A prompt in one language may ask for a text in another.
  const shape: Shape = { ...guess, unit: unitOf(planned(outline)) }
  const context: SectionContext = { run, writers, shape, sources }
  await run.expect('generating', outline.parts.length + 1)
  const pace = startPace()
  const draft = await writeParts(context, outline, pace)
  await useKeywords(context, draft)
  await repairLength(context, draft, pace)
  warnOfKeywords(context, draft)
  warnOfLength(run, draft)
  return finished(run, draft)
}

/** The words of an outline that are in the language of the text. */
const planned = ({ title, parts }: Outline): string =>
  [title, ...parts.flatMap(({ heading, points }) => [heading, ...points])].join('\n')

function warnOfLength(run: JobRun<'document'>, draft: Draft): void {
  const length = lengthOfDraft(draft)
  const { length: wanted, unit } = draft.shape
  if (isWithin(length, wanted)) return
  run.warn({
    code: 'text_length_missed',
    message: `The text has ${counted(length, unit.slice(0, -1))}; ${wanted} were asked for. The language model did not keep to the length, nor did two repairs.`,
  })
}

function finished(run: JobRun<'document'>, draft: Draft): Text {
  const { outline, shape } = draft
  const blocks = blocksOfDraft(draft)
  const [paragraphs, others] = [true, false].map((wanted) =>
    textOf(blocks.filter(({ type }) => type !== 'heading' && (type === 'paragraph') === wanted)),
  )
  return {
    title: outline.title,
    description: descriptionOf(outline.description, `${paragraphs}\n${others}`),
    parts: draft.parts.map(blocksOfPart),
    unit: shape.unit,
    length: lengthOf(blocks, shape.unit),
    pictures: run.request.image.enabled ? picturesOf(draft) : [],
  }
}

/** The featured picture, and those of sections that are evenly spread. */
function picturesOf({ outline, shape, parts }: Draft): Text['pictures'] {
  const sections = parts.flatMap(({ plan }, index) => (plan.role === 'section' ? [{ plan, index }] : []))
  const step = sections.length / Math.max(1, shape.pictures)
  const chosen = sections.filter(
    (_, at) => shape.pictures > 0 && Math.floor(at / step) !== Math.floor((at - 1) / step),
  )
  return [
    wanted('featured', 'featured', outline.picture, outline.title),
    ...chosen.slice(0, shape.pictures).map(({ plan, index }) => ({
      ...wanted(`section-${index + 1}`, 'section', plan.picture, `${outline.title}: ${plan.heading}`),
      part: index,
    })),
  ]
}

/** What is not said of a picture is what it belongs to. */
const wanted = (
  name: string,
  kind: WantedPicture['kind'],
  { subject, alt }: PictureWords,
  otherwise: string,
): WantedPicture => ({
  name,
  kind,
  subject: [subject, alt].find(hasWords) ?? otherwise,
  alt: [alt, subject].find(hasWords) ?? otherwise,
})

const hasWords = (line: string): boolean => /[\p{L}\p{N}]/u.test(line)
