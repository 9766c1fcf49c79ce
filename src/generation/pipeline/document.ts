import type { DocumentResult, FeaturedImage, WireBlock } from '../../contract/generation/results.ts'
import { slugText } from '../../lib/slug.ts'
import type { JobRun } from '../jobs/job-run.ts'
import { drawPictures } from './pictures.ts'
import { research } from './research/research.ts'
import { checkNarrationBudget, makeNarration } from './speech/speech.ts'
import { readingTime } from './text/measure.ts'
import { type WrittenDocument, writeText } from './text/write-text.ts'
import type { StepNeeds } from './types.ts'

/** A finished text does not fail over a picture or narration: they are left out. @throws GenerationError */
export async function makeDocument(run: JobRun<'document'>, needs: StepNeeds): Promise<DocumentResult> {
  await run.enter('researching')
  checkNarrationBudget(run, needs.providers.speech(run.request.audio.model))
  const text = await writeText(run, needs, await research(run, needs))
  const pictures = run.request.image.enabled ? await drawPictures(run, needs, text.pictures) : {}
  const document = assembleDocument(text, pictures)
  if (!run.request.audio.enabled) return document
  const audio = await makeNarration(run, needs, document)
  return audio === undefined ? document : { ...document, audio }
}

export function assembleDocument(
  text: WrittenDocument,
  pictures: Readonly<Record<string, FeaturedImage>>,
): DocumentResult {
  const { title, description, unit, length: word_count } = text
  const reading_time = readingTime(word_count, unit)
  const { featured } = pictures
  const pictureOf = (index: number) => pictures[text.pictures.find(({ part }) => part === index)?.name ?? '']
  return {
    title,
    description,
    ...(featured && { featured_image: featured.url }),
    content: {
      type: 'document',
      version: '1.0',
      meta: { title, slug: slugText(title), description, word_count, reading_time },
      ...(featured && { featured_image: featured }),
      content: text.parts.flatMap((blocks, index) => withPicture(blocks, pictureOf(index))),
    },
    word_count,
    reading_time,
  }
}

/** A picture stands below the first paragraph of its part, or else below its heading. */
function withPicture(blocks: readonly WireBlock[], picture: FeaturedImage | undefined): WireBlock[] {
  if (picture === undefined) return [...blocks]
  const image: WireBlock = { type: 'image', url: picture.url, alt: picture.alt, image_type: 'section' }
  const above = ['paragraph', 'heading'].map((kind) => blocks.findIndex(({ type }) => type === kind))
  const at = (above.find((index) => index !== -1) ?? -1) + 1
  return [...blocks.slice(0, at), image, ...blocks.slice(at)]
}
