import { expect, test } from 'vitest'
import { prosemirror } from '../../src/formats/prosemirror.ts'
import { fixtures, missingIn, type Shown } from '../support/formats.ts'

const wordNames = new Set([
  'text',
  'alt',
  'title',
  'caption',
  'label',
  'emoji',
  'latex',
  'copyright',
  'source',
])

/** Texts and addresses of a document, by their names alone. `custom` has attributes of Storyblok's links. */
function shownInNodes(value: unknown, shown: Shown = { texts: [], addresses: [] }): Shown {
  if (Array.isArray(value)) for (const element of value) shownInNodes(element, shown)
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'custom' || inner === '') continue
      if (typeof inner !== 'string') shownInNodes(inner, shown)
      else if (name === 'href') shown.addresses.push(addressOfLink(value))
      else if (name === 'src' || name === 'url') shown.addresses.push(inner)
      else if (wordNames.has(name)) shown.texts.push(inner)
    }
  return shown
}

const addressOfLink = ({ href, linktype, anchor }: { href?: string; linktype?: string; anchor?: string }) =>
  `${linktype === 'email' ? 'mailto:' : ''}${href}${anchor ? `#${anchor}` : ''}`

const documents = fixtures('prosemirror')

test('at least 30 documents of other projects are read', () => {
  expect(documents.length).toBeGreaterThanOrEqual(30)
})

test.each(documents)('nothing is missing of $source', ({ document }) => {
  expect(prosemirror.detect(document)).toBe(true)
  expect(missingIn(prosemirror.read(document), shownInNodes(document))).toEqual([])
})

type Json = Record<string, unknown>
const node = (type: string, content?: unknown[], attrs?: Json) => ({
  type,
  ...(attrs === undefined ? {} : { attrs }),
  ...(content === undefined ? {} : { content }),
})
const text = (text: string, ...marks: (string | Json)[]) => ({
  type: 'text',
  text,
  marks: marks.map((mark) => (typeof mark === 'string' ? { type: mark } : mark)),
})
const p = (...content: unknown[]) => node('paragraph', content)
const link = (href: string) => ({ type: 'link', attrs: { href } })
const read = (...content: unknown[]) => prosemirror.read({ type: 'doc', content })
const blocks = (...content: unknown[]) => read(...content).content

test('headings and quotes stand as their nodes say', () => {
  const content = [
    node('heading', [text('a')], { level: 3, textAlign: 'center' }),
    node('blockquote', [p(text('b'))], { textAlign: 'justify' }),
  ]
  expect(read(...content).content).toEqual([
    { type: 'heading', level: 3, text: ['a'], align: 'center' },
    { type: 'quote', content: [{ type: 'paragraph', content: ['b'] }], align: 'justify' },
  ])
})

test('marks become formats under any of their names, and neighbours with the same one stand in it together', () => {
  expect(
    read(
      p(
        text('10'),
        text('-3', 'superscript'),
        text('H', { type: 'subsup', attrs: { type: 'sub' } }),
        text('see ', link('https://example.com/'), 'strong'),
        text('this', 'em', 'bold', link('https://example.com/')),
        text('x()', 'code', 'strike'),
        node('hard_break'),
        text('red', { type: 'textStyle', attrs: { color: 'red' } }),
        text('odd', { type: 'sparkle' }),
      ),
    ),
  ).toEqual({
    content: [
      {
        type: 'paragraph',
        content: [
          '10',
          { type: 'superscript', text: ['-3'] },
          { type: 'subscript', text: ['H'] },
          {
            type: 'link',
            url: 'https://example.com/',
            text: [{ type: 'bold', text: ['see ', { type: 'italic', text: ['this'] }] }],
          },
          { type: 'strike', text: [{ type: 'code', text: 'x()' }] },
          { type: 'break' },
          'red',
          'odd',
        ],
      },
    ],
    warnings: [
      { code: 'format_changed', message: 'Colours, sizes and typefaces of letters are not kept.' },
      { code: 'format_changed', message: 'The mark “sparkle” is unknown; its words are kept without it.' },
    ],
  })
})

test("Tiptap's and ProseMirror's spellings of a block are one", () => {
  const list = (names: [string, string, string]) =>
    blocks(
      node(names[0], [
        node(names[2], [p(text('one')), node(names[1], [node(names[2], [p(text('two'))])], { start: 3 })]),
      ]),
    )
  const expected = [
    {
      type: 'list',
      ordered: false,
      items: [
        { text: ['one'], blocks: [{ type: 'list', ordered: true, start: 3, items: [{ text: ['two'] }] }] },
      ],
    },
  ]
  expect(list(['bulletList', 'orderedList', 'listItem'])).toEqual(expected)
  expect(list(['bullet_list', 'ordered_list', 'list_item'])).toEqual(expected)
  expect(
    blocks(
      node('codeBlock', [text('a\nb')], { language: 'js' }),
      node('code_block', [text('c')], { params: 'py' }),
    ),
  ).toEqual([
    { type: 'code_block', value: 'a\nb', language: 'js' },
    { type: 'code_block', value: 'c', language: 'py' },
  ])
  expect(blocks(node('horizontalRule'), node('horizontal_rule'), node('rule'))).toEqual(
    Array(3).fill({ type: 'separator' }),
  )
})

test('tasks keep their ticks, also where Atlassian puts a list beside its item', () => {
  expect(
    blocks(
      node('taskList', [
        node('taskItem', [text('done')], { state: 'DONE' }),
        node('taskList', [node('taskItem', [text('under it')], { state: 'TODO' })]),
      ]),
      node('taskList', [node('taskItem', [p(text('ticked'))], { checked: true })]),
    ),
  ).toEqual([
    {
      type: 'list',
      ordered: false,
      items: [
        { text: ['done'], checked: true, ordered: false, items: [{ text: ['under it'], checked: false }] },
      ],
    },
    { type: 'list', ordered: false, items: [{ text: ['ticked'], checked: true }] },
  ])
})

test('a picture amid text stands between two paragraphs, with its size, alignment and link', () => {
  const image = {
    type: 'image',
    attrs: {
      src: 'https://example.com/a.png',
      alt: 'A',
      title: 'T',
      width: '640px',
      height: 480,
      align: 'right',
    },
    marks: [link('https://example.com/')],
  }
  expect(blocks(p(text('before'), image, text('after')))).toEqual([
    { type: 'paragraph', content: ['before'] },
    {
      type: 'image',
      url: 'https://example.com/a.png',
      alt: 'A',
      title: 'T',
      link: 'https://example.com/',
      width: 640,
      height: 480,
      align: 'right',
    },
    { type: 'paragraph', content: ['after'] },
  ])
})

test('a figure becomes a picture with its caption', () => {
  expect(
    blocks(
      node('figure', [node('image', undefined, { src: '/a.png' }), node('figcaption', [text('By the sea')])]),
      node(
        'mediaSingle',
        [
          node('media', undefined, { type: 'external', url: 'https://example.com/b.png', alt: 'B' }),
          node('caption', [text('B again')]),
        ],
        { layout: 'wrap-left' },
      ),
    ),
  ).toEqual([
    { type: 'image', url: '/a.png', alt: '', caption: ['By the sea'] },
    { type: 'image', url: 'https://example.com/b.png', alt: 'B', caption: ['B again'], align: 'left' },
  ])
})

test('a picture without an address is left out by its name', () => {
  expect(
    read(node('mediaGroup', [node('media', undefined, { type: 'file', id: '4a-1', alt: 'plan.pdf' })])),
  ).toEqual({
    content: [],
    warnings: [
      {
        code: 'format_left_out',
        message: '“media” has no address and is left out: plan.pdf, 4a-1.',
      },
    ],
  })
})

test('a table keeps its header, spans and alignment, and pictures in its cells', () => {
  const cell = (type: string, words: string, attrs?: Json) => node(type, [p(text(words))], attrs)
  const picture = node('image', undefined, { src: '/a.png', alt: 'A' })
  expect(
    read(
      node('table', [
        node('tableRow', [cell('tableHeader', 'a'), cell('table_header', 'b')]),
        node('table_row', [
          cell('tableHeader', 'c', { colspan: 1 }),
          cell('tableCell', 'd', { textAlign: 'right' }),
        ]),
        node('tableRow', [
          node('tableCell', [p(text('e')), picture, p(text('f'))], { colspan: 2, rowspan: null }),
        ]),
      ]),
    ),
  ).toEqual({
    content: [
      {
        type: 'table',
        headers: [['a'], ['b']],
        rows: [
          [
            { content: ['c'], header: true },
            { content: ['d'], align: 'right' },
          ],
          [
            {
              content: [
                'e',
                { type: 'break' },
                { type: 'inline_image', url: '/a.png', alt: 'A' },
                { type: 'break' },
                'f',
              ],
              colspan: 2,
            },
          ],
        ],
      },
    ],
    warnings: [],
  })
})

test('details, panels, columns, formulas, players and recordings have their blocks', () => {
  expect(
    read(
      node('details', [node('detailsSummary', [text('More')]), node('detailsContent', [p(text('inside'))])], {
        open: true,
      }),
      node('expand', [p(text('inside'))], { title: 'More' }),
      node('panel', [p(text('care'))], { panelType: 'warning' }),
      node('layoutSection', [node('layoutColumn', [p(text('l'))]), node('layoutColumn', [p(text('r'))])]),
      node('blockMath', undefined, { latex: 'x^2' }),
      p(
        node('inlineMath', undefined, { latex: 'y' }),
        node('mention', undefined, { id: 'ada', label: 'Ada' }),
      ),
      node('youtube', undefined, { src: 'https://www.youtube-nocookie.com/embed/abcdefgh123?start=3' }),
      node('iframe', undefined, { src: 'https://example.com/player' }),
      node('audio', undefined, { src: 'https://example.com/a.mp3' }),
    ),
  ).toEqual({
    content: [
      {
        type: 'details',
        summary: ['More'],
        content: [{ type: 'paragraph', content: ['inside'] }],
        open: true,
      },
      { type: 'details', summary: ['More'], content: [{ type: 'paragraph', content: ['inside'] }] },
      { type: 'callout', kind: 'warning', content: [{ type: 'paragraph', content: ['care'] }] },
      {
        type: 'columns',
        columns: [[{ type: 'paragraph', content: ['l'] }], [{ type: 'paragraph', content: ['r'] }]],
      },
      { type: 'math', latex: 'x^2' },
      { type: 'paragraph', content: [{ type: 'math', latex: 'y' }, '@Ada'] },
      { type: 'embed', url: 'https://www.youtube.com/watch?v=abcdefgh123&t=3s' },
      { type: 'embed', url: 'https://example.com/player' },
      { type: 'audio', url: 'https://example.com/a.mp3' },
    ],
    warnings: [],
  })
})

test('what is said beside a quote, code or a film is kept or named', () => {
  expect(
    read(
      node('blockquote', [p(text('It moves'))], { citation: ['Galilei'] }),
      node('codeBlock', [text('x()')], { filename: 'x.js' }),
      node('video', undefined, { src: '/a.mp4', poster: '/a.png', title: 'Tides' }),
    ),
  ).toEqual({
    content: [
      { type: 'quote', content: [{ type: 'paragraph', content: ['It moves'] }], citation: ['Galilei'] },
      { type: 'code_block', value: 'x()' },
      { type: 'video', url: '/a.mp4', caption: ['Tides'], poster: '/a.png' },
    ],
    warnings: [{ code: 'format_left_out', message: 'The filename of “codeBlock” is left out: x.js.' }],
  })
})

test('words and addresses among the members of a known node are named', () => {
  const { warnings } = read(
    node('columns', [node('column', [p(text('a'))], { title: 'Ebb', colwidth: '50 px' })]),
    node('blockquote', [p(text('b'))], { cite: 'https://example.com/b', author: 'Ann' }),
    node('embed', undefined, { href: 'https://example.com/c', description: 'A map', allow: 'a; b' }),
  )
  expect(warnings.map(({ message }) => message)).toEqual([
    'The title of “column” is left out: Ebb.',
    'The cite of “blockquote” is left out: https://example.com/b.',
    'The description of “embed” is left out: A map.',
  ])
})

test('what a button says beside its label stands above it, and words in it are its label', () => {
  const url = 'https://example.com/buy'
  expect(
    read(
      node('button', undefined, { label: 'Buy', text: 'For members only', url }),
      node('button', [text('Buy now')], { href: url, title: 'Buy now' }),
    ),
  ).toEqual({
    content: [
      { type: 'paragraph', content: ['For members only'] },
      { type: 'buttons', buttons: [{ text: 'Buy', url }] },
      { type: 'buttons', buttons: [{ text: 'Buy now', url }] },
    ],
    warnings: [],
  })
})

test('a footnote stands where its number stands', () => {
  expect(blocks(p(text('Tides'), node('footnote', [p(text('Twice a day.'))])))).toEqual([
    { type: 'paragraph', content: ['Tides', { type: 'footnote', text: ['Twice a day.'] }] },
  ])
})

test('an unknown node gives its words, pictures and links, and a warning names what is left out', () => {
  expect(
    read(
      node('hero', [p(text('inside'))]),
      node('callToAction', undefined, { label: 'Buy', href: 'https://example.com/buy', stars: 5 }),
      node('blok', undefined, {
        body: [
          {
            component: 'teaser',
            image: 'https://example.com/a.webp',
            headline: 'New',
            text: { type: 'doc', content: [p(text('nested'))] },
          },
        ],
      }),
      node('nothing'),
    ),
  ).toEqual({
    content: [
      { type: 'paragraph', content: ['inside'] },
      { type: 'paragraph', content: [{ type: 'link', url: 'https://example.com/buy', text: ['Buy'] }] },
      { type: 'image', url: 'https://example.com/a.webp', alt: '' },
      { type: 'paragraph', content: ['New'] },
      { type: 'paragraph', content: ['nested'] },
    ],
    warnings: [
      { code: 'format_changed', message: '“hero” has no counterpart: what is in it stands in its place.' },
      { code: 'format_left_out', message: '“callToAction” has no counterpart. Left out of it: stars 5.' },
      { code: 'format_left_out', message: '“blok” has no counterpart. Left out of it: component “teaser”.' },
      { code: 'format_left_out', message: '“nothing” has no counterpart and no words: it is left out.' },
    ],
  })
})

test('a document of another kind is not taken for one', () => {
  expect(
    [null, 'doc', [], { type: 'document', content: [] }, { type: 'doc', content: 'x' }].map(
      prosemirror.detect,
    ),
  ).toEqual([false, false, false, false, false])
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
  { type: 5 },
  { type: 'text' },
  { type: 'constructor' },
]

test.each([
  'paragraph',
  'heading',
  'table',
  'tableRow',
  'bulletList',
  'taskItem',
  'image',
  'figure',
  'details',
  'codeBlock',
  'youtube',
  'footnote',
  'mention',
  'unheard',
])('a node %s with members of any type is read', (type) => {
  for (const odd of oddities)
    for (const members of [
      { content: odd },
      { content: [odd] },
      { attrs: odd },
      { marks: odd },
      { marks: [odd] },
      { text: odd },
    ])
      expect(() => read({ type, ...members })).not.toThrow()
  for (const name of ['src', 'level', 'start', 'colspan', 'language', 'title', 'textAlign'])
    for (const odd of oddities) expect(() => read(node(type, [p(text('a'))], { [name]: odd }))).not.toThrow()
})

test.each(['blockquote', 'bulletList', 'unheard', 'paragraph'])(
  '%s inside itself is read to the depth of a payload',
  (type) => {
    let inner: unknown = text('deep')
    for (let depth = 0; depth < 245; depth += 1) inner = node(type, [inner])
    expect(JSON.stringify(read(inner).content)).toContain('deep')
  },
)
