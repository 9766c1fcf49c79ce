import { expect, it } from 'vitest'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { documentDataSchema } from '../../src/contract/webhook.ts'

const read = (text: unknown) =>
  normaliseDocument(
    documentDataSchema.parse({ title: 'T', content: { content: [{ type: 'paragraph', text }] } }),
  ).document.blocks

it.each([[[]], [['']], [''], [null]])('a paragraph of %j is an empty one', (text) => {
  expect(read(text)).toEqual([{ type: 'paragraph', content: [] }])
})

it('a paragraph of nothing but a picture is the picture', () => {
  const image = { type: 'image', url: 'https://example.com/a.png', alt: 'A' }
  expect(read([image])).toMatchObject([{ type: 'image', alt: 'A' }])
})

it('each paragraph of a text stands as the text does', () => {
  const content = [{ type: 'paragraph', text: 'a\n\nb', textAlign: 'right' }]
  const { blocks } = normaliseDocument({ title: 'T', content: { content } }).document
  expect(blocks).toMatchObject([{ align: 'right' }, { align: 'right' }])
})
