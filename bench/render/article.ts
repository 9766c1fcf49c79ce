import type { Document } from '../../src/blocks/document.ts'
import { type Block, blockExamples } from '../../src/blocks/index.ts'
import { Reading } from '../../src/blocks/read.ts'

const sentences = [
  'A harbour lives by the water under its keel and by the road behind its quay. ',
  'Tides leave twice a day, and with them everything that was not made fast. ',
  'The oldest cranes were trodden by people in wheels. ',
  'Whoever counts ships counts promises. ',
  'Ice closes the basin for eleven days & opens it in one night. ',
]

const prose = (from: number): string =>
  [0, 1, 2, 3].map((index) => sentences[(from + index) % sentences.length]).join('')

/** Running text by itself is a paragraph. */
const paragraph = (n: number): unknown[] => [
  prose(n),
  { type: 'bold', text: 'harbour masters' },
  ' know this from ',
  { type: 'link', url: 'https://example.com/harbours?page=2', text: 'their own books' },
  '.',
]

/** Some 2,500 words with the example of each block among them. */
export const article: Document = {
  title: 'Harbours',
  blocks: new Reading().document(
    blockExamples.flatMap(([, example], n) => [paragraph(n), example, paragraph(n + 1)]),
  ),
}

/** The article's blocks again and again, until there are so many. */
export const articleOf = (count: number): Document => ({
  ...article,
  blocks: Array.from({ length: count }, (_, index) => article.blocks[index % article.blocks.length] as Block),
})
