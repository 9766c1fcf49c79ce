import type { Draw } from '../stage/random.ts'
import { hostileTexts, hostileValues, RawJson, rawValues, shortTexts } from '../stage/texts.ts'

type Make = (draw: Draw, pictures: readonly string[]) => unknown

const texts: readonly (readonly string[])[] = [hostileTexts, shortTexts]
const text = (draw: Draw): string => draw.pick(draw.pick(texts))
const many = <Item>(length: number, make: (n: number) => Item): Item[] =>
  Array.from({ length }, (_, n) => make(n))
const paragraph = (content: unknown) => ({ type: 'paragraph', content })

/** How large something grows; most of the time not very. */
const size = (draw: Draw): number => draw.pick([3, 10, 100, 100, 1_000, 1_000, 7_000])

/** JSON of things inside each other, deeper than any program calls itself. */
const nested = (open: string, inside: string, close: string, depth: number) =>
  new RawJson(open.repeat(depth) + inside + close.repeat(depth))

/** Blocks that are small as they come and large as they are made, deep, wide, or full of what breaks programs. */
export const blockMakers: Record<string, Make> = {
  'a table as wide as long': (draw) => {
    const length = size(draw)
    return { type: 'table', headers: many(length, () => ''), rows: many(length, () => ({})) }
  },
  'a table with one wide row': (draw) => {
    const length = size(draw)
    return { type: 'table', rows: [many(length, () => 'x'), ...many(length, () => [])] }
  },
  'a table keyed by headers': (draw) => {
    const headers = many(size(draw) / 10 + 1, (n) => `h${n}`)
    return {
      type: 'table',
      headers,
      rows: many(50, () => Object.fromEntries(headers.map((name) => [name, '&']))),
    }
  },
  'cells that are anything': (draw) => ({
    type: 'table',
    headers: [draw.pick(hostileValues), text(draw)],
    rows: [draw.pick(hostileValues), [draw.pick(rawValues)], text(draw)],
    caption: text(draw),
  }),
  'lists inside lists': (draw) =>
    nested('{"type":"list","items":["a",', '"b"', ']}', draw.pick([10, 99, 101, 240, 1_000, 20_000])),
  'lists in every item': (draw) => {
    const inner = { type: 'list', items: many(30, () => 'x') }
    return {
      type: 'list',
      ordered: draw.chance(0.5),
      start: draw.pick(hostileValues),
      items: many(size(draw) / 10, () => ({ content: 'x', lists: [inner] })),
    }
  },
  'many items': (draw) => ({ type: 'list', items: many(size(draw) * 4, () => 'x') }),
  'formats inside formats': (draw) =>
    paragraph(
      nested(
        draw.pick([
          '{"type":"bold","content":',
          '{"type":"italic","content":[',
          '{"type":"link","url":"https://e.example/","content":',
        ]),
        '"x"',
        '}',
        draw.pick([10, 100, 400, 5_000]),
      ),
    ),
  'formats side by side': (draw) =>
    paragraph(many(size(draw) * 3, (n) => ({ type: n % 2 ? 'bold' : 'italic', text: 'x' }))),
  'links with hostile addresses': (draw) =>
    paragraph(many(20, () => ({ type: 'link', url: text(draw), title: text(draw), content: text(draw) }))),
  'one long link': (draw) => paragraph([{ type: 'link', url: `https://e.example/${text(draw)}`, text: 'x' }]),
  'text that grows when escaped': (draw) =>
    paragraph(draw.pick(['&', '"', '<', '[', '\u00a0']).repeat(size(draw) * 50)),
  'text that is hostile': (draw) => paragraph(text(draw)),
  'many shortcodes': (draw) => paragraph('[gallery ids="1"]'.repeat(size(draw))),
  'headings with anchors': (draw) => ({
    type: 'heading',
    level: draw.pick([1, 2, 6, 7, -1, 1e9, '2', null]),
    text: text(draw),
    anchor: text(draw),
    id: text(draw),
  }),
  'many headings of one name': (draw) =>
    many(Math.min(size(draw), 2_000), () => ({ type: 'heading', level: 2, text: 'Same', anchor: 'same' })),
  code: (draw) => ({ type: 'code_block', language: text(draw), value: text(draw) }),
  pictures: (draw, pictures) => ({
    type: 'image',
    url: draw.chance(0.5) ? draw.pick(pictures) : text(draw),
    alt: text(draw),
    title: text(draw),
    caption: text(draw),
    image_type: draw.pick([...hostileValues]),
  }),
  'many pictures': (draw, pictures) =>
    many(draw.pick([3, 6, 12]), (n) => ({ type: 'image', url: `${draw.pick(pictures)}?${n}`, alt: '' })),
  quotes: (draw) => ({
    type: 'quote',
    content: many(20, () => text(draw).slice(0, 5_000)),
    citation: text(draw),
  }),
  narration: (draw, pictures) => ({
    type: 'audio',
    url: draw.chance(0.5) ? draw.pick(pictures) : text(draw),
  }),
  'a type that is none': (draw) => ({ type: text(draw), text: text(draw), url: text(draw) }),
  'a block that is anything': (draw) => draw.pick<unknown>([...hostileValues, ...rawValues]),
  'keys that are special': () =>
    new RawJson(
      '{"__proto__":{"type":"paragraph"},"constructor":1,"type":"paragraph","content":"x","toString":null}',
    ),
  'a paragraph': () => paragraph('An ordinary paragraph.'),
}
