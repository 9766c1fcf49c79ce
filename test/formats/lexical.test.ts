import { expect, test } from 'vitest'
import { lexical } from '../../src/formats/lexical.ts'
import { fixtures, missingIn, type Shown } from '../support/formats.ts'

const wordNames = new Set(['text', 'alt', 'altText', 'title', 'caption', 'code', 'equation'])

/** Texts and addresses of a document, by their names alone. */
function shownInNodes(value: unknown, shown: Shown = { texts: [], addresses: [] }): Shown {
  if (Array.isArray(value)) for (const element of value) shownInNodes(element, shown)
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner !== 'string') shownInNodes(inner, shown)
      else if (inner !== '' && ['url', 'src', 'href'].includes(name)) shown.addresses.push(inner)
      else if (name === 'caption') shown.texts.push(inner.replace(/<[^>]*>/g, ''))
      else if (wordNames.has(name)) shown.texts.push(inner)
    }
  return shown
}

const documents = fixtures('lexical')

test('at least 30 documents of other projects are read', () => {
  expect(documents.length).toBeGreaterThanOrEqual(30)
})

test.each(documents)('nothing is missing of $source', ({ document }) => {
  expect(lexical.detect(document)).toBe(true)
  expect(missingIn(lexical.read(document), shownInNodes(document))).toEqual([])
})

type Json = Record<string, unknown>
const node = (type: string, children?: unknown[], members: Json = {}) => ({
  type,
  version: 1,
  ...(children === undefined ? {} : { children }),
  ...members,
})
const text = (text: string, format = 0) =>
  node('text', undefined, { text, format, style: '', mode: 'normal' })
const p = (...children: unknown[]) => node('paragraph', children, { format: '' })
const state = (...children: unknown[]) => ({ root: node('root', children, { direction: 'ltr' }) })
const read = (...children: unknown[]) => lexical.read(state(...children))
const blocks = (...children: unknown[]) => read(...children).content

test('the bits of a text become formats, and neighbours with the same one stand in it together', () => {
  expect(
    blocks(
      p(
        text('plain '),
        text('bold ', 1),
        text('both', 3),
        text('10'),
        text('-3', 64),
        text('x()', 16 | 4),
        node('linebreak'),
        node('link', [text('a '), text('link', 8)], { url: 'https://example.com/', title: 'T' }),
        node('autolink', [text('b')], { fields: { url: 'https://example.com/b', linkType: 'custom' } }),
      ),
    ),
  ).toEqual([
    {
      type: 'paragraph',
      content: [
        'plain ',
        { type: 'bold', text: ['bold ', { type: 'italic', text: ['both'] }] },
        '10',
        { type: 'superscript', text: ['-3'] },
        { type: 'strike', text: [{ type: 'code', text: 'x()' }] },
        { type: 'break' },
        {
          type: 'link',
          url: 'https://example.com/',
          title: 'T',
          text: ['a ', { type: 'underline', text: ['link'] }],
        },
        { type: 'link', url: 'https://example.com/b', text: ['b'] },
      ],
    },
  ])
})

test('a text of a type of its own is read as any other', () => {
  expect(read(p(text('a '), node('colored-text', undefined, { text: 'word', format: 1 })))).toEqual({
    content: [{ type: 'paragraph', content: ['a ', { type: 'bold', text: ['word'] }] }],
    warnings: [],
  })
})

test("links to Payload's own documents lose their address only where it is not sent along", () => {
  const to = (value: unknown) =>
    node('link', [text('words')], { fields: { linkType: 'internal', doc: { relationTo: 'pages', value } } })
  expect(read(p(to({ id: 3, url: '/about' })))).toEqual({
    content: [{ type: 'paragraph', content: [{ type: 'link', url: '/about', text: ['words'] }] }],
    warnings: [],
  })
  expect(read(p(to('64f')))).toEqual({
    content: [{ type: 'paragraph', content: ['words'] }],
    warnings: [
      {
        code: 'format_left_out',
        message: 'The link of “words” has no address (pages 64f); its words are kept.',
      },
    ],
  })
})

test('lists nest under the item before, and checks keep their ticks', () => {
  expect(
    blocks(
      node(
        'list',
        [
          node('listitem', [text('one')], { value: 1 }),
          node('listitem', [node('list', [node('listitem', [text('under it')])], { listType: 'number' })]),
          node('listitem', [text('two')]),
        ],
        { listType: 'bullet' },
      ),
      node('list', [node('listitem', [text('done')], { checked: true }), node('listitem', [text('open')])], {
        listType: 'check',
      }),
      node('list', [node('listitem', [text('third')])], { listType: 'number', start: 3 }),
    ),
  ).toEqual([
    {
      type: 'list',
      ordered: false,
      items: [{ text: ['one'], ordered: true, items: [{ text: ['under it'] }] }, { text: ['two'] }],
    },
    {
      type: 'list',
      ordered: false,
      items: [
        { text: ['done'], checked: true },
        { text: ['open'], checked: false },
      ],
    },
    { type: 'list', ordered: true, start: 3, items: [{ text: ['third'] }] },
  ])
})

test('headings, quotes, code, tables, rules, columns and collapsibles have their blocks', () => {
  const cell = (words: string, headerState = 0, members: Json = {}) =>
    node('tablecell', [p(text(words))], { headerState, ...members })
  expect(
    read(
      node('heading', [text('H')], { tag: 'h3' }),
      node('quote', [text('said')]),
      node('code', [node('code-highlight', undefined, { text: 'a' }), node('linebreak'), text('b')], {
        language: 'js',
      }),
      node('table', [
        node('tablerow', [cell('a', 1), cell('b', 3)]),
        node('tablerow', [cell('c', 2), cell('d')]),
        node('tablerow', [cell('e', 0, { colSpan: 2 })]),
      ]),
      node('horizontalrule'),
      node('layout-container', [node('layout-item', [p(text('l'))]), node('layout-item', [p(text('r'))])]),
      node('collapsible-container', [
        node('collapsible-title', [text('More')]),
        node('collapsible-content', [p(text('inside'))]),
      ]),
      { ...p(text('right')), format: 'end' },
      p(node('equation', undefined, { equation: 'x^2', inline: true })),
      node('youtube', undefined, { videoID: 'abc' }),
      node('tweet', undefined, { id: '12' }),
    ),
  ).toEqual({
    content: [
      { type: 'heading', level: 3, text: ['H'] },
      { type: 'quote', content: [{ type: 'paragraph', content: ['said'] }] },
      { type: 'code_block', value: 'a\nb', language: 'js' },
      {
        type: 'table',
        headers: [['a'], ['b']],
        rows: [[{ content: ['c'], header: true }, ['d']], [{ content: ['e'], colspan: 2 }]],
      },
      { type: 'separator' },
      {
        type: 'columns',
        columns: [[{ type: 'paragraph', content: ['l'] }], [{ type: 'paragraph', content: ['r'] }]],
      },
      { type: 'details', summary: ['More'], content: [{ type: 'paragraph', content: ['inside'] }] },
      { type: 'paragraph', content: ['right'], align: 'right' },
      { type: 'paragraph', content: [{ type: 'math', latex: 'x^2' }] },
      { type: 'embed', url: 'https://www.youtube.com/watch?v=abc' },
      { type: 'embed', url: 'https://twitter.com/i/status/12' },
    ],
    warnings: [],
  })
})

test('a picture has its caption, whether an editor state or HTML; an upload is what its file is', () => {
  const upload = (url: string, mimeType: string) =>
    node('upload', undefined, {
      relationTo: 'media',
      value: { id: 1, url, mimeType, alt: 'A', filename: 'a', width: 640 },
    })
  expect(
    read(
      p(
        node('image', undefined, {
          src: '/a.png',
          altText: 'A',
          showCaption: true,
          caption: { editorState: state(p(text('cap'))) },
        }),
      ),
      node('image', undefined, {
        src: '/b.png',
        alt: 'B',
        caption: 'by <em>Ada</em>',
        cardWidth: 'wide',
        href: '/c',
      }),
      upload('/media/a.png', 'image/png'),
      upload('/media/a.mp4', 'video/mp4'),
      upload('/media/a.pdf', 'application/pdf'),
      node('upload', undefined, { relationTo: 'media', value: '64f' }),
    ),
  ).toEqual({
    content: [
      { type: 'image', url: '/a.png', alt: 'A', caption: ['cap'] },
      {
        type: 'image',
        url: '/b.png',
        alt: 'B',
        caption: ['by ', { type: 'italic', text: 'Ada' }],
        link: '/c',
        align: 'wide',
      },
      { type: 'image', url: '/media/a.png', alt: 'A', width: 640 },
      { type: 'video', url: '/media/a.mp4' },
      { type: 'file', url: '/media/a.pdf', text: 'a' },
    ],
    warnings: [{ code: 'format_left_out', message: '“upload” has no address and is left out: media, 64f.' }],
  })
})

test('what is said beside a file is kept or named', () => {
  const value = { url: '/a.png', mimeType: 'image/png', caption: 'By the sea' }
  expect(
    read(
      node('upload', undefined, { value, fields: { caption: null, credit: 'Photo by Ada' } }),
      node('audio', undefined, { src: '/a.mp3', title: 'Tides', thumbnailSrc: '/cover.png' }),
    ),
  ).toEqual({
    content: [
      { type: 'image', url: '/a.png', alt: '', caption: ['By the sea'] },
      { type: 'paragraph', content: ['Photo by Ada'] },
      { type: 'audio', url: '/a.mp3', caption: ['Tides'] },
    ],
    warnings: [
      {
        code: 'format_changed',
        message: 'What else “upload” says stands after it in paragraphs of its own.',
      },
      { code: 'format_left_out', message: 'The thumbnailSrc of “audio” is left out: /cover.png.' },
    ],
  })
})

test('a block of Payload gives its words, pictures, links and editor states; a warning names its values', () => {
  expect(
    read(
      node('block', undefined, {
        fields: {
          id: '1',
          blockType: 'cta',
          blockName: 'the first',
          richText: state(p(text('nested'))),
          links: [{ link: { type: 'custom', url: '/buy', label: 'Buy', newTab: true } }],
          media: { url: '/m.png', mimeType: 'image/png', alt: 'M', sizes: { small: { url: '/m-s.png' } } },
          stars: 5,
        },
      }),
      node('block', undefined, {
        fields: { blockType: 'banner', style: 'warning', content: state(p(text('care'))) },
      }),
      node('block', undefined, { fields: { blockType: 'code', code: 'x()', language: 'js' } }),
    ),
  ).toEqual({
    content: [
      { type: 'paragraph', content: ['nested'] },
      { type: 'paragraph', content: [{ type: 'link', url: '/buy', text: ['Buy'] }] },
      { type: 'image', url: '/m.png', alt: 'M' },
      { type: 'callout', kind: 'warning', content: [{ type: 'paragraph', content: ['care'] }] },
      { type: 'code_block', value: 'x()', language: 'js' },
    ],
    warnings: [{ code: 'format_left_out', message: '“cta” has no counterpart. Left out of it: stars 5.' }],
  })
})

test("Ghost's cards have their blocks, and its paywall is named", () => {
  expect(
    read(
      node('extended-heading', [node('extended-text', undefined, { text: 'H', format: 0 })], { tag: 'h2' }),
      node('html', undefined, { html: '<p>raw <b>html</b></p>' }),
      node('markdown', undefined, { markdown: 'some **words**' }),
      node('callout', undefined, { calloutText: '<p>care</p>', calloutEmoji: '💡' }),
      node('toggle', undefined, { heading: 'More', content: '<p>inside</p>' }),
      node('button', undefined, { buttonText: 'Go', buttonUrl: 'https://example.com/' }),
      node('gallery', undefined, { images: [{ src: '/a.png', alt: 'A' }], caption: 'both' }),
      node('bookmark', undefined, {
        url: 'https://example.com/',
        metadata: { title: 'T', description: 'D' },
      }),
      node('embed', undefined, { url: 'https://vimeo.com/1', html: '<iframe></iframe>' }),
      node('paywall'),
      node('product', undefined, { productTitle: 'Boat', productDescription: '<p>It <em>floats</em></p>' }),
    ),
  ).toEqual({
    content: [
      { type: 'heading', level: 2, text: ['H'] },
      { type: 'paragraph', content: ['raw ', { type: 'bold', text: 'html' }] },
      { type: 'paragraph', content: ['some ', { type: 'bold', text: 'words' }] },
      { type: 'callout', kind: 'note', title: '💡', content: [{ type: 'paragraph', content: 'care' }] },
      { type: 'details', summary: ['More'], content: [{ type: 'paragraph', content: 'inside' }] },
      { type: 'buttons', buttons: [{ text: 'Go', url: 'https://example.com/' }] },
      { type: 'gallery', images: [{ type: 'image', url: '/a.png', alt: 'A' }], caption: ['both'] },
      { type: 'paragraph', content: [{ type: 'link', url: 'https://example.com/', text: ['T'] }] },
      { type: 'paragraph', content: ['D'] },
      { type: 'embed', url: 'https://vimeo.com/1' },
      { type: 'paragraph', content: ['Boat'] },
      { type: 'paragraph', content: ['It ', { type: 'italic', text: 'floats' }] },
    ],
    warnings: [
      { code: 'format_changed', message: 'A bookmark becomes a link with its title and description.' },
      {
        code: 'format_left_out',
        message: 'The paywall is left out: what stands after it is shown to everybody.',
      },
      {
        code: 'format_changed',
        message: '“product” has no counterpart: what is in it stands in its place.',
      },
    ],
  })
})

test('a tree of another kind is not taken for one', () => {
  const mdast = { type: 'root', children: [{ type: 'paragraph', children: [] }] }
  expect([null, 'root', [], { root: {} }, mdast, { root: mdast }].map(lexical.detect)).toEqual(
    Array(6).fill(false),
  )
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
  node('text'),
  node('constructor'),
]

test.each(
  'paragraph heading list listitem table tablerow tablecell code link image upload block youtube gallery bookmark collapsible-container unheard'.split(
    ' ',
  ),
)('a node %s with members of any type is read', (type) => {
  const names =
    'children text format tag fields value src url caption images metadata videoID headerState start'
  for (const odd of oddities) {
    expect(() => read(node(type, [odd]))).not.toThrow()
    for (const name of names.split(' '))
      expect(() => read(node(type, undefined, { [name]: odd }))).not.toThrow()
  }
})

test.each(['quote', 'list', 'link', 'unheard'])(
  '%s inside itself is read to the depth of a payload',
  (type) => {
    let inner: unknown = text('deep')
    for (let depth = 0; depth < 245; depth += 1) inner = node(type, [inner], { url: '/a' })
    expect(JSON.stringify(read(inner).content)).toContain('deep')
  },
)

test('a card that Ghost calls a header has its words, its button and its picture', () => {
  const card = node('header', undefined, {
    header: 'Tides',
    buttonText: 'Read',
    buttonUrl: 'https://example.com/a',
    backgroundImageSrc: 'https://example.com/a.png',
  })
  const kept = JSON.stringify(read(card).content)
  for (const said of ['Tides', 'Read', 'https://example.com/a', 'https://example.com/a.png'])
    expect(kept).toContain(said)
})
