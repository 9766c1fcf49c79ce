import { DomUtils, parseDocument } from 'htmlparser2'
import { expect, test } from 'vitest'
import { editorjs } from '../../src/formats/editorjs.ts'
import { fixtures, missingIn, type Shown } from '../support/formats.ts'

const settings = new Set([
  'type',
  'style',
  'service',
  'alignment',
  'align',
  'language',
  'counterType',
  'extension',
])

/** Texts and addresses of blocks by their names alone, and those of the HTML in their texts. */
function shownInBlocks(value: unknown, shown: Shown = { texts: [], addresses: [] }, name = ''): Shown {
  if (Array.isArray(value)) for (const element of value) shownInBlocks(element, shown, name)
  else if (typeof value === 'string') {
    if (['url', 'src', 'source', 'link', 'photo'].includes(name)) shown.addresses.push(value)
    else if (['code', 'math'].includes(name)) shown.texts.push(value)
    else if (!settings.has(name)) shownInHtml(value, shown)
  } else if (typeof value === 'object' && value !== null) {
    // The player of an embed stands at an address that its page implies; the name of a file with a title is not shown.
    const implied = ['id', 'version', 'tunes', 'embed', 'fileName', ...('url' in value ? ['name'] : [])]
    for (const [member, inner] of Object.entries(value))
      if (!implied.includes(member)) shownInBlocks(inner, shown, member)
  }
  return shown
}

function shownInHtml(markup: string, { texts, addresses }: Shown): void {
  const document = parseDocument(markup)
  texts.push(...DomUtils.find(({ type }) => type === 'text', [document], true, 1e9).map(DomUtils.textContent))
  for (const { attribs } of DomUtils.findAll(({ name }) => name !== 'script', [document]))
    addresses.push(...[attribs.href, attribs.src].filter((address) => address !== undefined))
}

const documents = fixtures('editorjs')

test('at least 30 documents of other projects are read', () => {
  expect(documents.length).toBeGreaterThanOrEqual(30)
})

test.each(documents)('nothing is missing of $source', ({ document }) => {
  expect(editorjs.detect(document)).toBe(true)
  const { blocks } = document as { blocks: unknown }
  expect(missingIn(editorjs.read(document), shownInBlocks(blocks))).toEqual([])
})

const read = (...blocks: object[]) => editorjs.read({ time: 1, version: '2.31.0', blocks })
const block = (type: string, data: object, tunes?: object) => ({
  id: 'a',
  type,
  data,
  ...(tunes && { tunes }),
})
const contentOf = (...blocks: object[]) => read(...blocks).content

test('texts are HTML: formats, links and entities are read', () => {
  expect(
    contentOf(
      block('paragraph', {
        text: 'AT&amp;T <b>bold <i>both</i></b><br>10<sup>-3</sup> <mark class="cdx-marker">lit</mark>',
      }),
      block('paragraph', { text: 'See <a href="https://example.com/">this</a>', alignment: 'center' }),
      block(
        'header',
        { text: 'The <code class="inline-code">ebb</code>', level: 3 },
        { anyTune: { anchor: 'ebb' } },
      ),
      block('paragraph', { text: 'plain' }, { alignmentTune: { alignment: 'right' } }),
      block('paragraph', { text: '&nbsp;' }),
    ),
  ).toEqual([
    {
      type: 'paragraph',
      content: [
        'AT&T ',
        { type: 'bold', text: ['bold ', { type: 'italic', text: 'both' }] },
        { type: 'break' },
        '10',
        { type: 'superscript', text: '-3' },
        ' ',
        { type: 'highlight', text: 'lit' },
      ],
    },
    {
      type: 'paragraph',
      content: ['See ', { type: 'link', url: 'https://example.com/', text: 'this' }],
      align: 'center',
    },
    { type: 'heading', level: 3, text: ['The ', { type: 'code', text: 'ebb' }], anchor: 'ebb' },
    { type: 'paragraph', content: ['plain'], align: 'right' },
    { type: 'paragraph', content: '\u00a0' },
  ])
})

test('lists of all versions are read, nested and with ticks', () => {
  const nested = { content: 'one', meta: {}, items: [{ content: 'in <b>bold</b>', meta: {}, items: [] }] }
  const ticked = {
    content: 'done',
    meta: { checked: true },
    items: [{ content: 'open', meta: { checked: false } }],
  }
  expect(
    contentOf(
      block('list', { style: 'unordered', items: ['one', 'two'] }),
      block('list', { style: 'ordered', meta: { start: 3 }, items: [nested] }),
      block('list', { style: 'checklist', items: [ticked] }),
      block('checklist', { items: [{ text: 'old', checked: true }] }),
    ),
  ).toEqual([
    { type: 'list', ordered: false, items: [{ text: ['one'] }, { text: ['two'] }] },
    {
      type: 'list',
      ordered: true,
      start: 3,
      items: [{ text: ['one'], items: [{ text: ['in ', { type: 'bold', text: 'bold' }] }], ordered: true }],
    },
    {
      type: 'list',
      ordered: false,
      items: [{ text: ['done'], checked: true, items: [{ text: ['open'], checked: false }], ordered: false }],
    },
    { type: 'list', ordered: false, items: [{ text: ['old'], checked: true }] },
  ])
})

test('tables, quotes, code and separators are read', () => {
  expect(
    contentOf(
      block('table', {
        withHeadings: true,
        content: [
          ['A', 'B'],
          ['1', '<i>2</i>'],
        ],
      }),
      block('table', { withHeadings: false, content: [['1', '2']] }),
      block('quote', { text: 'Know <b>it</b>', caption: 'Socrates', alignment: 'left' }),
      block('code', { code: 'if (a < b) &amp;' }),
      block('delimiter', {}),
      block('math', { math: 'x^2' }),
    ),
  ).toEqual([
    { type: 'table', headers: [['A'], ['B']], rows: [[['1'], [{ type: 'italic', text: '2' }]]] },
    { type: 'table', headers: [], rows: [[['1'], ['2']]] },
    {
      type: 'quote',
      content: [{ type: 'paragraph', content: ['Know ', { type: 'bold', text: 'it' }] }],
      citation: ['Socrates'],
    },
    { type: 'code_block', value: 'if (a < b) &amp;' },
    { type: 'separator' },
    { type: 'math', latex: 'x^2' },
  ])
})

test('files, embeds and cards keep their addresses and words', () => {
  const url = 'https://example.com/bay.jpg'
  expect(
    contentOf(
      block('image', { file: { url }, caption: 'The <b>bay</b>', stretched: true, withBorder: false }),
      block('simpleImage', { url, caption: '' }),
      block('gallery', { files: [{ url }, { url, caption: 'two' }] }),
      block('embed', {
        service: 'youtube',
        source: 'https://youtu.be/1',
        embed: 'https://x.test/1',
        caption: 'Film',
      }),
      block('attaches', {
        file: { url: 'https://example.com/t.pdf', name: 't.pdf' },
        title: 'Tides &amp; co',
      }),
      block('linkTool', {
        link: 'https://example.com/',
        meta: { title: 'Site', description: 'About', image: { url } },
      }),
      block('AnyButton', { link: 'https://example.com/go', text: 'Go' }),
      block('personality', {
        name: 'Ann',
        description: 'Sails',
        link: 'https://example.com/ann',
        photo: url,
      }),
    ),
  ).toEqual([
    { type: 'image', url, alt: '', caption: ['The ', { type: 'bold', text: 'bay' }], align: 'full' },
    { type: 'image', url, alt: '' },
    {
      type: 'gallery',
      images: [
        { type: 'image', url, alt: '' },
        { type: 'image', url, alt: '', caption: ['two'] },
      ],
    },
    { type: 'embed', url: 'https://youtu.be/1', caption: ['Film'] },
    { type: 'file', url: 'https://example.com/t.pdf', text: 'Tides & co' },
    { type: 'image', url, alt: '', link: 'https://example.com/' },
    { type: 'paragraph', content: [{ type: 'link', url: 'https://example.com/', text: ['Site'] }] },
    { type: 'paragraph', content: ['About'] },
    { type: 'buttons', buttons: [{ text: 'Go', url: 'https://example.com/go' }] },
    { type: 'paragraph', content: [{ type: 'link', url: 'https://example.com/ann', text: ['Ann'] }] },
    { type: 'paragraph', content: ['Sails'] },
    { type: 'image', url, alt: '' },
  ])
})

test('warnings, toggles and columns hold what stands in them', () => {
  const inside = block('paragraph', { text: 'inside' })
  const content = [{ type: 'paragraph', content: ['inside'] }]
  expect(
    contentOf(
      block('warning', { title: 'Note:', message: 'Mind' }),
      block('alert', { type: 'danger', message: 'Mind' }),
      block('toggle', { text: 'More', items: 2, status: 'open' }),
      inside,
      inside,
      block('columns', { cols: [{ blocks: [inside] }, { blocks: [inside] }] }),
      block('raw', { html: '<h2>Raw</h2><p>HTML</p>' }),
    ),
  ).toEqual([
    { type: 'callout', kind: 'warning', title: 'Note:', content: [{ type: 'paragraph', content: ['Mind'] }] },
    { type: 'callout', kind: 'important', content: [{ type: 'paragraph', content: ['Mind'] }] },
    { type: 'details', summary: ['More'], content: [...content, ...content], open: true },
    { type: 'columns', columns: [content, content] },
    { type: 'heading', level: 2, text: 'Raw' },
    { type: 'paragraph', content: 'HTML' },
  ])
})

test('a block that is not known keeps its words and the blocks in it, and says so', () => {
  const { content, warnings } = read(
    block('poll', {
      question: 'Which <b>tide</b>?',
      answers: [{ label: 'High', url: 'https://example.com/high' }],
    }),
    block('section', { blocks: [block('paragraph', { text: 'inside' })] }),
    block('image', { caption: 'No file' }),
    block('mystery', {}),
  )
  expect(content).toEqual([
    { type: 'paragraph', content: ['Which ', { type: 'bold', text: 'tide' }, '?'] },
    { type: 'paragraph', content: [{ type: 'link', url: 'https://example.com/high', text: ['High'] }] },
    { type: 'paragraph', content: ['inside'] },
    { type: 'paragraph', content: ['No file'] },
  ])
  expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    'format_changed: “poll” has no counterpart: what is in it stands in its place.',
    'format_left_out: “image” has no address and is left out.',
    'format_left_out: “mystery” has no counterpart and no words: it is left out.',
  ])
})

test('footnotes of the tune are kept', () => {
  const text = 'High<sup data-tune="footnotes">1</sup>'
  expect(contentOf(block('paragraph', { text }, { footnotes: ['Twice <b>a day</b>'] }))).toEqual([
    { type: 'paragraph', content: ['High', { type: 'superscript', text: '1' }] },
    { type: 'paragraph', content: ['Twice ', { type: 'bold', text: 'a day' }] },
  ])
})

test('what is no output of Editor.js is not taken for it', () => {
  const draft = { blocks: [{ key: 'a', text: 'Draft.js', type: 'unstyled', data: {} }], entityMap: {} }
  const slate = [{ object: 'block', type: 'paragraph', data: {}, nodes: [] }]
  const own = { content: [{ type: 'paragraph', content: 'x' }] }
  for (const value of [
    null,
    'text',
    [],
    {},
    own,
    draft,
    slate,
    { blocks: [] },
    [{ type: 'paragraph', paragraph: {} }],
  ])
    expect(editorjs.detect(value)).toBe(false)
  expect(editorjs.detect({ time: 1, blocks: [], version: '2.31.0' })).toBe(true)
  expect(editorjs.detect([block('paragraph', { text: 'x' })])).toBe(true)
})

test('any value in any place is read', () => {
  const values = [
    null,
    7,
    '<b',
    true,
    [],
    {},
    [[]],
    [{}],
    { items: 9, content: [[{}]], file: 3 },
    { blocks: [null] },
  ]
  const types =
    'paragraph header list checklist table image gallery embed attaches linkTool quote code raw warning toggle columns personality AnyButton constructor'
  for (const type of types.split(' '))
    for (const data of [...values, { text: {}, items: 1e9, url: [] }, { cols: 'x', caption: 5, meta: 5 }])
      for (const tunes of values)
        expect(() => editorjs.read({ blocks: [{ type, data, tunes }, data, tunes] })).not.toThrow()
})

test('toggles that each claim all blocks after them do not nest without end', () => {
  const toggles = Array.from({ length: 20_000 }, () => block('toggle', { text: 'More', items: 20_000 }))
  expect(
    missingIn(editorjs.read({ blocks: toggles }), { texts: Array(20_000).fill('More'), addresses: [] }),
  ).toEqual([])
})

test('what a plugin adds to a known block stands below it', () => {
  const url = 'https://example.com/bay.jpg'
  const credit = { author: 'Ann B', profileLink: 'https://example.com/ann' }
  const { content, warnings } = read(
    block('code', { code: 'ebb()', title: 'The <b>ebb</b>' }),
    block('image', { url, unsplash: credit, ratio: '16:9' }),
    block('codeBox', { code: '<span class="k">if</span> (a &lt; b)\n  ebb()', language: 'js' }),
  )
  expect(content).toEqual([
    { type: 'code_block', value: 'ebb()' },
    { type: 'paragraph', content: ['The ', { type: 'bold', text: 'ebb' }] },
    { type: 'image', url, alt: '' },
    { type: 'paragraph', content: ['Ann B'] },
    { type: 'paragraph', content: [{ type: 'link', url: credit.profileLink, text: credit.profileLink }] },
    { type: 'code_block', value: 'if (a < b)\n  ebb()', language: 'js' },
  ])
  expect(warnings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    'format_changed: What else “code” says stands after it in paragraphs of its own.',
    'format_note: Left out of “image”: ratio “16:9”.',
    'format_changed: What else “image” says stands after it in paragraphs of its own.',
  ])
})

test.each([
  ['quote', { text: '', caption: '', alignment: 'left' }],
  ['paragraph', { text: '' }],
])('an empty %s is nothing that a reader misses', (type, data) => {
  const { content, warnings } = editorjs.read({ time: 1, version: '2.30.0', blocks: [{ type, data }] })
  expect({ content, warnings }).toEqual({ content: [], warnings: [] })
})

test('a plugin may have a list in the place of its members', () => {
  const data = [{ url: 'https://example.com/a.png', caption: 'Low water' }]
  const { content } = editorjs.read({ time: 1, version: '2.30.0', blocks: [{ type: 'carousel', data }] })
  expect(JSON.stringify(content)).toContain('"url":"https://example.com/a.png"')
  expect(JSON.stringify(content)).toContain('Low water')
})

test('the title of a film with a caption is that of its file; elsewhere it is named', () => {
  const [title, caption] = ['The tide', 'Six hours apart']
  const url = 'https://example.com/a'
  const { content, warnings } = editorjs.read({
    time: 1,
    version: '2.30.0',
    blocks: [
      { type: 'video', data: { file: { url: `${url}.mp4`, title }, caption } },
      { type: 'audio', data: { url: `${url}.mp3`, title, caption } },
      { type: 'video', data: { url: 'https://youtu.be/pwChk4S99i4', title, caption } },
    ],
  })
  expect(content).toMatchObject([
    { title, caption: [caption] },
    { caption: [caption] },
    { caption: [caption] },
  ])
  expect(warnings.map(({ message }) => message)).toEqual([
    'The title of “audio” is left out: The tide.',
    'The title of “video” is left out: The tide.',
  ])
})
