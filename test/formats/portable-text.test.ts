import { expect, test } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { portableText } from '../../src/formats/portable-text.ts'
import { fixtures, missingIn, type Shown } from '../support/formats.ts'
import { growth, NOT_LINEAR } from '../support/growth.ts'

const wordNames = new Set(['text', 'alt', 'caption', 'code', 'title', 'buttonText', 'label', 'author'])

/** Texts and addresses of a document, by their names alone, but for links that no text has. */
function shownInBlocks(value: unknown, shown: Shown = { texts: [], addresses: [] }): Shown {
  if (Array.isArray(value)) for (const element of value) shownInBlocks(element, shown)
  else if (typeof value === 'object' && value !== null) {
    const { children = [] } = value as { children?: { marks?: string[] }[] }
    const marks = children.flatMap((child) => child.marks ?? [])
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'markDefs')
        shownInBlocks(
          (inner ?? []).filter(({ _key }: { _key: string }) => marks.includes(_key)),
          shown,
        )
      else if (typeof inner !== 'string') shownInBlocks(inner, shown)
      else if (inner !== '' && ['url', 'src', 'href'].includes(name)) shown.addresses.push(inner)
      else if (name === 'html') shown.texts.push(inner.replace(/<[^>]*>/g, ''))
      else if (wordNames.has(name)) shown.texts.push(inner)
    }
  }
  return shown
}

const documents = fixtures('portable-text')

test('at least 30 documents of other projects are read', () => {
  expect(documents.length).toBeGreaterThanOrEqual(30)
})

test.each(documents)('nothing is missing of $source', ({ document }) => {
  expect(portableText.detect(document)).toBe(true)
  expect(missingIn(portableText.read(document), shownInBlocks(document))).toEqual([])
})

type Json = Record<string, unknown>
const span = (text: string, ...marks: string[]) => ({ _type: 'span', text, marks })
const block = (children: unknown[], members: Json = {}) => ({
  _type: 'block',
  children,
  markDefs: [],
  ...members,
})
const item = (text: string, level: number, listItem = 'bullet') => block([span(text)], { listItem, level })
const read = (...values: unknown[]) => portableText.read(values)
const blocks = (...values: unknown[]) => read(...values).content

test('marks become formats and links, and neighbours with the same one stand in it together', () => {
  expect(
    read(
      block(
        [
          span('plain '),
          span('bold ', 'strong'),
          span('both', 'em', 'strong'),
          span('x()', 'code', 'strike-through'),
          span('see ', 'l'),
          span('this', 'l', 'underline'),
          span('a\nb'),
          span('word', 'n'),
          span('inside', 'i'),
          span('odd', 'sparkle'),
        ],
        {
          markDefs: [
            { _key: 'l', _type: 'link', href: 'https://example.com/' },
            { _key: 'n', _type: 'footnote', text: [block([span('A note.')])] },
            { _key: 'i', _type: 'internalLink', reference: { _type: 'reference', _ref: 'page-1' } },
          ],
        },
      ),
    ),
  ).toEqual({
    meta: {},
    content: [
      {
        type: 'paragraph',
        content: [
          'plain ',
          { type: 'bold', text: ['bold ', { type: 'italic', text: ['both'] }] },
          { type: 'strike', text: [{ type: 'code', text: 'x()' }] },
          {
            type: 'link',
            url: 'https://example.com/',
            text: ['see ', { type: 'underline', text: ['this'] }],
          },
          'a',
          { type: 'break' },
          'b',
          'word',
          { type: 'footnote', text: ['A note.'] },
          'inside',
          'odd',
        ],
      },
    ],
    warnings: [
      {
        code: 'format_left_out',
        message: 'The link of “inside” has no address (page-1); its words are kept.',
      },
      { code: 'format_changed', message: 'The mark “sparkle” is unknown; its words are kept without it.' },
    ],
  })
})

test('styles become headings and quotes', () => {
  expect(
    blocks(
      block([span('H')], { style: 'h3' }),
      block([span('said')], { style: 'blockquote' }),
      block([span('plain')], { style: 'normal' }),
      'words',
    ),
  ).toEqual([
    { type: 'heading', level: 3, text: ['H'] },
    { type: 'quote', content: [{ type: 'paragraph', content: ['said'] }] },
    { type: 'paragraph', content: ['plain'] },
    { type: 'paragraph', content: ['words'] },
  ])
})

test('neighbouring items are lists inside each other by their levels', () => {
  expect(
    blocks(
      item('1', 1),
      item('1.1', 2, 'number'),
      item('1.1.1', 3),
      item('1.2', 2, 'number'),
      item('2', 1),
      item('a', 1, 'number'),
      block([span('between')]),
      item('alone', 4),
      { ...item('done', 1, 'checkbox'), checked: true },
    ),
  ).toEqual([
    {
      type: 'list',
      ordered: false,
      items: [
        {
          text: ['1'],
          ordered: true,
          items: [{ text: ['1.1'], ordered: false, items: [{ text: ['1.1.1'] }] }, { text: ['1.2'] }],
        },
        { text: ['2'] },
      ],
    },
    { type: 'list', ordered: true, items: [{ text: ['a'] }] },
    { type: 'paragraph', content: ['between'] },
    { type: 'list', ordered: false, items: [{ text: ['alone'] }] },
    { type: 'list', ordered: false, items: [{ text: ['done'], checked: true }] },
  ])
})

test('lists are at most as deep as a document may have them', () => {
  const content = blocks(...Array.from({ length: 3 * LIMITS.listDepth }, (_, index) => item('x', index + 1)))
  const depthOf = (items: Json[]): number =>
    1 + Math.max(...items.map(({ items }) => (items === undefined ? 0 : depthOf(items as Json[]))))
  expect(depthOf((content[0] as { items: Json[] }).items)).toBe(LIMITS.listDepth)
})

test('things that sites commonly make for themselves have their blocks', () => {
  expect(
    read(
      { _type: 'image', asset: { url: 'https://cdn.example/a.png' }, alt: 'A', caption: 'By the sea' },
      { _type: 'code', code: 'x()', language: 'js' },
      {
        _type: 'table',
        rows: [{ cells: ['a', 'b'] }, { cells: ['c', { content: [block([span('d', 'em')])] }] }],
      },
      { _type: 'youtube', url: 'https://youtu.be/abcdefgh123' },
      { _type: 'youtube', videoId: 'abcdefgh123' },
      { _type: 'break', style: 'break' },
      { _type: 'latex', body: 'x^2' },
      { _type: 'html', html: '<p>raw</p>' },
      { _type: 'gallery', images: [{ _type: 'image', asset: { url: '/b.png' }, alt: 'B' }] },
      { _type: 'callout', tone: 'caution', title: 'Care', body: [block([span('wet')])] },
      { _type: 'faqItem', question: 'Why?', answer: [block([span('The moon.')])] },
      { _type: 'pullquote', text: 'It moves', author: 'Galilei' },
      { _type: 'cta', label: 'Buy', url: 'https://example.com/' },
      { _type: 'file', asset: { url: '/a.pdf', originalFilename: 'Plan.pdf' } },
      [block([span('in an array')])],
      { _type: 'hero', heading: 'Big', content: [block([span('nested')])] },
    ),
  ).toEqual({
    meta: {},
    content: [
      { type: 'image', url: 'https://cdn.example/a.png', alt: 'A', caption: ['By the sea'] },
      { type: 'code_block', value: 'x()', language: 'js' },
      {
        type: 'table',
        headers: [],
        rows: [
          [['a'], ['b']],
          [['c'], [{ type: 'italic', text: ['d'] }]],
        ],
      },
      { type: 'embed', url: 'https://youtu.be/abcdefgh123' },
      { type: 'embed', url: 'https://www.youtube.com/watch?v=abcdefgh123' },
      { type: 'separator' },
      { type: 'math', latex: 'x^2' },
      { type: 'paragraph', content: 'raw' },
      { type: 'gallery', images: [{ type: 'image', url: '/b.png', alt: 'B' }] },
      { type: 'callout', kind: 'warning', title: 'Care', content: [{ type: 'paragraph', content: ['wet'] }] },
      { type: 'details', summary: ['Why?'], content: [{ type: 'paragraph', content: ['The moon.'] }] },
      { type: 'pullquote', value: ['It moves'], citation: ['Galilei'] },
      { type: 'buttons', buttons: [{ text: 'Buy', url: 'https://example.com/' }] },
      { type: 'file', url: '/a.pdf', text: 'Plan.pdf' },
      { type: 'paragraph', content: ['in an array'] },
      { type: 'paragraph', content: ['Big'] },
      { type: 'paragraph', content: ['nested'] },
    ],
    warnings: [
      {
        code: 'format_changed',
        message: '“hero” has no counterpart: what is in it stands in its place.',
      },
    ],
  })
})

test('a picture inside a thing that is one is shown once', () => {
  const image = { _type: 'image', asset: { url: '/a.png' }, alt: 'A' }
  expect(read({ _type: 'imageWithCaption', image, caption: 'By the sea' })).toEqual({
    meta: {},
    content: [{ type: 'image', url: '/a.png', alt: 'A', caption: ['By the sea'] }],
    warnings: [],
  })
})

test('what has no address, or no counterpart, is named', () => {
  expect(
    read(
      { _type: 'image', asset: { _type: 'reference', _ref: 'image-abc-20x30-jpg' }, attribution: 'by Ada' },
      { _type: 'rating', stars: 5 },
      block([span('amid '), { _type: 'ticker', symbol: 'ACME' }, span('text')]),
    ),
  ).toEqual({
    meta: {},
    content: [
      { type: 'paragraph', content: ['by Ada'] },
      { type: 'paragraph', content: ['amid ', 'text'] },
    ],
    warnings: [
      {
        code: 'format_left_out',
        message: '“image” has no address and is left out: image-abc-20x30-jpg.',
      },
      {
        code: 'format_changed',
        message: 'What else “image” says stands after it in paragraphs of its own.',
      },
      { code: 'format_left_out', message: '“rating” has no counterpart. Left out of it: stars 5.' },
      { code: 'format_left_out', message: '“ticker” has no counterpart. Left out of it: symbol “ACME”.' },
    ],
  })
})

test('what a thing says beside what its type is about is kept or named', () => {
  expect(
    read(
      { _type: 'code', code: 'x()', filename: 'x.js', caption: 'Run it' },
      { _type: 'table', rows: [{ left: 'low water', right: { _type: 'block', children: [span('high')] } }] },
      { _type: 'callout', body: 'wet', more: 'and cold' },
    ),
  ).toEqual({
    meta: {},
    content: [
      { type: 'code_block', value: 'x()' },
      { type: 'paragraph', content: ['Run it'] },
      { type: 'table', headers: [], rows: [[['low water', { type: 'break' }, 'high']]] },
      { type: 'callout', kind: 'note', content: [{ type: 'paragraph', content: ['wet'] }] },
      { type: 'paragraph', content: ['and cold'] },
    ],
    warnings: [
      { code: 'format_left_out', message: 'Left out of “code”: filename “x.js”.' },
      {
        code: 'format_changed',
        message: 'What else a thing without a type says stands after it in paragraphs of its own.',
      },
      {
        code: 'format_changed',
        message: 'What else “callout” says stands after it in paragraphs of its own.',
      },
    ],
  })
})

test('a document of Sanity gives its title, slug, excerpt and picture, and its body', () => {
  expect(
    portableText.read({
      _type: 'post',
      _id: '1',
      title: 'Tides',
      slug: { _type: 'slug', current: 'tides' },
      excerpt: [block([span('Twice a day.')])],
      mainImage: { _type: 'image', asset: { url: '/a.png' }, alt: 'A' },
      body: [block([span('The sea rises.')])],
    }),
  ).toEqual({
    meta: {
      title: 'Tides',
      slug: 'tides',
      description: 'Twice a day.',
      featured_image: { url: '/a.png', alt: 'A' },
    },
    content: [{ type: 'paragraph', content: ['The sea rises.'] }],
    warnings: [],
  })
})

test('takes as long as the text has links', () => {
  const block = (size: number) => [
    {
      _type: 'block',
      markDefs: Array.from({ length: size }, (_, key) => ({ _key: `${key}`, _type: 'link', href: '/a' })),
      children: Array.from({ length: size }, (_, key) => ({ _type: 'span', text: 'a', marks: [`${key}`] })),
    },
  ]
  expect(growth((value: unknown) => portableText.read(value), block, 200)).toBeLessThan(NOT_LINEAR)
})

test('other arrays and objects are not taken for Portable Text', () => {
  expect(
    [null, 'block', [], ['block'], [{ type: 'block' }], { _type: 'post', tags: ['a'] }].map(
      portableText.detect,
    ),
  ).toEqual(Array(6).fill(false))
})

const oddities = [
  null,
  undefined,
  true,
  7,
  '',
  'word',
  [],
  {},
  [null],
  { _type: 5 },
  span('a'),
  { _type: 'neighbours' },
]

test.each(
  'block image gallery table code youtube file html callout details quote cta columns latex neighbours unheard'.split(
    ' ',
  ),
)('a thing %s with members of any type is read', (_type) => {
  const names =
    'children markDefs marks style listItem level asset images rows url code html body question text label columns caption'
  for (const odd of oddities) {
    expect(() =>
      read(odd, { _type, children: [odd], markDefs: [odd], rows: [odd], images: [odd] }),
    ).not.toThrow()
    for (const name of names.split(' ')) expect(() => read({ _type, [name]: odd })).not.toThrow()
  }
})

test('things inside each other are read to the depth of a payload', () => {
  let inner: unknown = block([span('deep')])
  for (let depth = 0; depth < 120; depth += 1) inner = { _type: 'section', content: [inner] }
  expect(JSON.stringify(read(inner).content)).toContain('deep')
})

test('what is lost after more warnings than are listed counts as lost', () => {
  const styles = Array.from({ length: LIMITS.warnings }, (_, at) =>
    block([span('x')], { style: `odd ${at}` }),
  )
  const { warnings } = read(...styles, { _type: 'image', alt: 'A picture without an address' })
  expect(warnings).toHaveLength(LIMITS.warnings)
  expect(warnings.at(-1)).toEqual({
    code: 'warnings_left_out',
    message: '2 more of such warnings are not listed.',
  })
})
