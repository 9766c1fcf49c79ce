import fc from 'fast-check'
import type { Block, Document, Inline, List } from '../../../src/contract/tree.ts'
import { address, text } from './texts.ts'

/** One kind of node with these members; `undefined` members are left out, as `normaliseDocument` does. */
const node = <Node>(type: string, members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Node> =>
  fc.record({ type: fc.constant(type), ...members }).map((value) => withoutAbsent(value) as Node)

const withoutAbsent = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))

const maybe = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(arbitrary, { nil: undefined })

const { inlines } = fc.letrec<{ inline: Inline; inlines: Inline[] }>((tie) => ({
  inlines: fc.array(tie('inline'), { maxLength: 4, depthIdentifier: 'inline' }),
  inline: fc.oneof(
    { depthSize: 'small', depthIdentifier: 'inline', withCrossShrink: true },
    { weight: 6, arbitrary: node<Inline>('text', { text }) },
    { weight: 1, arbitrary: node<Inline>('code', { text }) },
    { weight: 1, arbitrary: node<Inline>('bold', { children: tie('inlines') }) },
    { weight: 1, arbitrary: node<Inline>('italic', { children: tie('inlines') }) },
    {
      weight: 1,
      arbitrary: node<Inline>('link', { href: address, title: maybe(text), children: tie('inlines') }),
    },
  ),
}))

const { list } = fc.letrec<{ list: List; item: List['items'][number] }>((tie) => ({
  list: node<List>('list', {
    ordered: fc.boolean(),
    start: maybe(fc.integer({ min: -5, max: 1000 })),
    items: fc.array(tie('item'), { maxLength: 3, depthIdentifier: 'list' }),
  }),
  item: fc.record({
    content: inlines,
    lists: fc.oneof(
      { depthSize: 'small', depthIdentifier: 'list' },
      fc.constant<List[]>([]),
      fc.array(tie('list'), { maxLength: 2, depthIdentifier: 'list' }),
    ),
  }),
}))

const row = fc.array(inlines, { maxLength: 3 })

const block: fc.Arbitrary<Block> = fc.oneof(
  { weight: 4, arbitrary: node<Block>('paragraph', { content: inlines }) },
  {
    weight: 2,
    arbitrary: node<Block>('heading', {
      level: fc.integer({ min: 1, max: 6 }),
      content: inlines,
      anchor: maybe(text),
    }),
  },
  { weight: 2, arbitrary: list },
  {
    weight: 1,
    arbitrary: node<Block>('table', {
      headers: row,
      rows: fc.array(row, { maxLength: 3 }),
      caption: maybe(inlines),
    }),
  },
  { weight: 2, arbitrary: node<Block>('code_block', { language: maybe(text), value: text }) },
  {
    weight: 1,
    arbitrary: node<Block>('image', { url: address, alt: text, caption: maybe(inlines), title: maybe(text) }),
  },
  {
    weight: 1,
    arbitrary: node<Block>('quote', {
      paragraphs: fc.array(inlines, { maxLength: 3 }),
      citation: maybe(inlines),
    }),
  },
  { weight: 1, arbitrary: node<Block>('audio', { url: address }) },
)

/** Documents of all block and inline kinds, mostly small. */
export const document: fc.Arbitrary<Document> = fc
  .record({
    title: fc.constant('Title'),
    blocks: fc.array(block, { maxLength: 5 }),
    audio: maybe(node<Block & { type: 'audio' }>('audio', { url: address })),
  })
  .map((value) => withoutAbsent(value) as Document)
