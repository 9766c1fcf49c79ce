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

it.each<[written: unknown, align: string | undefined, ...warnings: string[]]>([
  ['Centre', 'center'],
  ['end', 'right'],
  ['justified', 'justify'],
  ['start', undefined],
  [{}, undefined],
  ['sideways', undefined, 'the alignment "sideways" of a text is not known; it stands as the theme has it'],
])('the alignment %j of a heading is read', (align, expected, ...said) => {
  const content = [{ type: 'heading', level: 2, text: 'a', align }]
  const { document, warnings } = normaliseDocument({ title: 'T', content: { content } })
  expect(document.blocks[0]).toEqual({
    type: 'heading',
    level: 2,
    content: [{ type: 'text', text: 'a' }],
    ...(expected && { align: expected }),
  })
  expect(warnings.map(({ message }) => message)).toEqual(said.map((one) => `Block 1 (heading): ${one}`))
})

it('an alignment that a thing cannot have is said once', () => {
  const items = [{ text: 'a', align: 'right' }, { text: 'b', align: 'right' }, 'c']
  const content = [{ type: 'list', items, align: 'center' }]
  const { warnings } = normaliseDocument({ title: 'T', content: { content } })
  expect(warnings.map(({ message }) => message)).toEqual([
    'Block 1 (list): the alignment "right" of a list item is left out: it can have none',
    'Block 1 (list): the alignment "center" of this list is left out: it can have none',
  ])
})

it('each paragraph of a text stands as the text does', () => {
  const content = [{ type: 'paragraph', text: 'a\n\nb', textAlign: 'right' }]
  const { blocks } = normaliseDocument({ title: 'T', content: { content } }).document
  expect(blocks).toMatchObject([{ align: 'right' }, { align: 'right' }])
})
