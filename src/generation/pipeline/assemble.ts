import type { Block, DocumentResult, FeaturedImage } from '../../contract/generation/results.ts'
import { readingTime } from './text/count.ts'
import type { Text } from './text/text.ts'
import { slugOf } from './text/title.ts'

/** A text and its pictures as the contract has a document. */
export function documentOf(text: Text, pictures: Readonly<Record<string, FeaturedImage>>): DocumentResult {
  const { title, description, unit, length: word_count } = text
  const reading_time = readingTime(word_count, unit)
  const { featured } = pictures
  return {
    title,
    description,
    ...(featured && { featured_image: featured.url }),
    content: {
      type: 'document',
      version: '1.0',
      meta: { title, slug: slugOf(title), description, word_count, reading_time },
      ...(featured && { featured_image: featured }),
      content: text.parts.flatMap((blocks, index) => withPicture(blocks, pictureOf(text, pictures, index))),
    },
    word_count,
    reading_time,
  }
}

function pictureOf(
  { pictures: wanted }: Text,
  pictures: Readonly<Record<string, FeaturedImage>>,
  index: number,
): FeaturedImage | undefined {
  const found = wanted.find(({ part }) => part === index)
  return found && pictures[found.name]
}

/** A picture stands below the first paragraph of its part, or else below its heading. */
function withPicture(blocks: readonly Block[], picture: FeaturedImage | undefined): Block[] {
  if (picture === undefined) return [...blocks]
  const image: Block = { type: 'image', url: picture.url, alt: picture.alt, image_type: 'section' }
  const above = ['paragraph', 'heading'].map((kind) => blocks.findIndex(({ type }) => type === kind))
  const at = (above.find((index) => index !== -1) ?? -1) + 1
  return [...blocks.slice(0, at), image, ...blocks.slice(at)]
}
