import { expect, test } from 'vitest'
import { notion } from '../../src/formats/notion.ts'
import { fixtures, missingIn, type Shown } from '../support/formats.ts'

/** Texts and addresses of blocks by their names alone; `plain_text` repeats the text of an item. */
function shownInBlocks(value: unknown, shown: Shown = { texts: [], addresses: [] }): Shown {
  if (Array.isArray(value)) for (const element of value) shownInBlocks(element, shown)
  else if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
    const hasText = members.some(([name, inner]) => name === 'text' && typeof inner === 'object')
    // The icon and the address of a page are no part of its text.
    const ofPage = 'object' in value && value.object === 'page' ? ['icon', 'url'] : []
    for (const [name, inner] of members.filter(([name]) => !ofPage.includes(name))) {
      if (typeof inner !== 'string') shownInBlocks(inner, shown)
      else if (['content', 'expression', 'name', 'emoji'].includes(name)) shown.texts.push(inner)
      else if (name === 'plain_text' && !hasText) shown.texts.push(inner)
      else if (['url', 'href'].includes(name))
        shown.addresses.push(inner.replace(/^\//, 'https://www.notion.so/'))
    }
  }
  return shown
}

const documents = fixtures('notion')

test('at least 30 documents of other projects are read', () => {
  expect(documents.length).toBeGreaterThanOrEqual(30)
})

test.each(documents)('nothing is missing of $source', ({ document }) => {
  expect(notion.detect(document)).toBe(true)
  expect(missingIn(notion.read(document), shownInBlocks(document))).toEqual([])
})

const text = (content: string, annotations: object = {}, url?: string) => ({
  type: 'text',
  text: { content, link: url === undefined ? null : { url } },
  annotations: { bold: false, italic: false, code: false, color: 'default', ...annotations },
  plain_text: content,
  href: url ?? null,
})
const block = (type: string, own: object = {}, children?: unknown[]) => ({
  object: 'block',
  id: `id-of-${type}`,
  type,
  has_children: children !== undefined,
  [type]: own,
  ...(children === undefined ? {} : { children }),
})
const words = (content: string) => ({ rich_text: [text(content)] })
const read = (...blocks: unknown[]) => notion.read(blocks)
const messages = (...blocks: unknown[]) => read(...blocks).warnings.map(({ message }) => message)

test('annotations, links and formulas become running text, one link in one piece', () => {
  const equation = { type: 'equation', equation: { expression: 'e^x' }, plain_text: 'e^x', annotations: {} }
  const items = [
    text('see ', {}, 'https://example.com/'),
    text('this', { bold: true }, 'https://example.com/'),
    text(' page', {}, '/a1b2'),
    text('run()', { code: true, strikethrough: true }),
    text('lit', { color: 'yellow_background', underline: true }),
    equation,
    text('two\nlines'),
  ]
  expect(read(block('paragraph', { rich_text: items })).content).toEqual([
    {
      type: 'paragraph',
      content: [
        { type: 'link', url: 'https://example.com/', text: ['see ', { type: 'bold', text: ['this'] }] },
        { type: 'link', url: 'https://www.notion.so/a1b2', text: [' page'] },
        { type: 'strike', text: [{ type: 'code', text: 'run()' }] },
        { type: 'underline', text: [{ type: 'highlight', text: ['lit'] }] },
        { type: 'math', latex: 'e^x' },
        'two',
        { type: 'break' },
        'lines',
      ],
    },
  ])
})

test('mentions keep their names and addresses', () => {
  const mention = (value: object, plainText?: string, href?: string) => ({
    type: 'mention',
    mention: value,
    ...(plainText === undefined ? {} : { plain_text: plainText, href: href ?? null }),
  })
  const items = [
    mention({ type: 'user', user: { id: 'u', name: 'Ann' } }, '@Ann'),
    mention({ type: 'date', date: { start: '2026-11-21', end: null } }),
    mention({ type: 'page', page: { id: 'ab-cd' } }, 'Tides', 'https://www.notion.so/abcd'),
    mention({ type: 'page', page: { id: 'ab-cd' } }),
    mention(
      { type: 'link_mention', link_mention: { href: 'https://example.com/', title: 'An example' } },
      'x',
    ),
  ]
  expect(read(block('paragraph', { rich_text: items })).content).toEqual([
    {
      type: 'paragraph',
      content: [
        '@Ann',
        '2026-11-21',
        { type: 'link', url: 'https://www.notion.so/abcd', text: ['Tides', 'https://www.notion.so/abcd'] },
        { type: 'link', url: 'https://example.com/', text: ['An example'] },
      ],
    },
  ])
})

test('neighbouring items of one kind are a list, with what stands in them', () => {
  expect(
    read(
      block('bulleted_list_item', words('one'), [block('numbered_list_item', words('inner'))]),
      block('bulleted_list_item', words('two'), [
        block('code', { ...words('ebb()'), language: 'javascript' }),
      ]),
      block('numbered_list_item', { ...words('third'), list_start_index: 3 }),
      block('to_do', { ...words('done'), checked: true }),
      block('to_do', { ...words('open'), checked: false }),
    ).content,
  ).toEqual([
    {
      type: 'list',
      ordered: false,
      items: [
        { text: ['one'], items: [{ text: ['inner'] }], ordered: true },
        { text: ['two'], blocks: [{ type: 'code_block', value: 'ebb()', language: 'javascript' }] },
      ],
    },
    { type: 'list', ordered: true, start: 3, items: [{ text: ['third'] }] },
    {
      type: 'list',
      ordered: false,
      items: [
        { text: ['done'], checked: true },
        { text: ['open'], checked: false },
      ],
    },
  ])
})

test('headings, toggles, quotes, callouts and columns hold what stands in them', () => {
  const inside = [block('paragraph', words('inside'))]
  const content = [{ type: 'paragraph', content: ['inside'] }]
  const icon = { type: 'emoji', emoji: '💡' }
  expect(
    read(
      block('heading_2', words('Plain')),
      block('heading_3', { ...words('Folded'), is_toggleable: true }, inside),
      block('toggle', words('More'), inside),
      block('quote', words('Said'), inside),
      block('callout', { ...words('Mind'), icon }, inside),
      block('column_list', {}, [block('column', {}, inside), block('column', {}, inside)]),
      block('synced_block', { synced_from: null }, inside),
      block('divider', {}, inside),
      block('equation', { expression: 'x^2' }),
    ).content,
  ).toEqual([
    { type: 'heading', level: 2, text: ['Plain'] },
    { type: 'details', summary: ['Folded'], content },
    { type: 'details', summary: ['More'], content },
    { type: 'quote', content: [{ type: 'paragraph', content: ['Said'] }, ...content] },
    { type: 'callout', kind: 'tip', content: [{ type: 'paragraph', content: ['💡 ', 'Mind'] }, ...content] },
    { type: 'columns', columns: [content, content] },
    ...content,
    { type: 'separator' },
    ...content,
    { type: 'math', latex: 'x^2' },
  ])
})

test('files keep their addresses and captions', () => {
  const external = (url: string, others: object = {}) => ({ type: 'external', external: { url }, ...others })
  const hosted = {
    type: 'file',
    file: { url: 'https://s3.example.com/a.mp4', expiry_time: '2026-11-21T09:30Z' },
  }
  const caption = [text('The bay')]
  const { content, warnings } = read(
    block('image', external('https://example.com/bay.jpg', { caption })),
    block('video', external('https://www.youtube.com/watch?v=1')),
    block('video', hosted),
    block('audio', external('https://example.com/a.mp3')),
    block('pdf', external('https://example.com/my%20tides.pdf', { caption })),
    block('file', external('https://example.com/x', { name: 'table.csv' })),
    block('embed', { url: 'https://player.vimeo.com/video/1', caption: [] }),
    block('bookmark', { url: 'https://example.com/mark', caption }),
  )
  expect(content).toEqual([
    { type: 'image', url: 'https://example.com/bay.jpg', alt: 'The bay', caption: ['The bay'] },
    { type: 'embed', url: 'https://www.youtube.com/watch?v=1' },
    { type: 'video', url: 'https://s3.example.com/a.mp4' },
    { type: 'audio', url: 'https://example.com/a.mp3' },
    { type: 'file', url: 'https://example.com/my%20tides.pdf', text: 'my tides.pdf' },
    { type: 'paragraph', content: ['The bay'] },
    { type: 'file', url: 'https://example.com/x', text: 'table.csv' },
    { type: 'embed', url: 'https://vimeo.com/1' },
    {
      type: 'paragraph',
      content: [{ type: 'link', url: 'https://example.com/mark', text: 'https://example.com/mark' }],
    },
    { type: 'paragraph', content: ['The bay'] },
  ])
  expect(warnings).toEqual([
    {
      code: 'format_note',
      message:
        'The address of a file in Notion is good until 2026-11-21T09:30Z: https://s3.example.com/a.mp4',
    },
  ])
})

test('a table has the headers of its first row and column', () => {
  const row = (...cells: string[]) => block('table_row', { cells: cells.map((cell) => [text(cell)]) })
  const table = { has_column_header: true, has_row_header: true }
  expect(read(block('table', table, [row('A', 'B'), row('C', 'D')])).content).toEqual([
    { type: 'table', headers: [['A'], ['B']], rows: [[{ content: ['C'], header: true }, ['D']]] },
  ])
})

test('a page gives its title, cover and terms, and its blocks', () => {
  const page = {
    object: 'page',
    cover: { type: 'external', external: { url: 'https://example.com/cover.jpg' } },
    properties: {
      Name: { type: 'title', title: [text('Tides')] },
      Slug: { type: 'rich_text', rich_text: [text('tides')] },
      Tags: { type: 'multi_select', multi_select: [{ name: 'sea' }, { name: 'moon' }] },
      Category: { type: 'select', select: { name: 'News' } },
      Note: { type: 'rich_text', rich_text: [text('not yet')] },
      Status: { type: 'status', status: { name: 'Draft' } },
    },
  }
  const results = [block('paragraph', words('The sea rises.'))]
  const expected = {
    meta: {
      title: 'Tides',
      slug: 'tides',
      tags: ['sea', 'moon'],
      categories: ['News'],
      featured_image: 'https://example.com/cover.jpg',
    },
    content: [{ type: 'paragraph', content: ['The sea rises.'] }],
    warnings: [
      { code: 'format_left_out', message: 'The property "Note" is not part of the text: not yet' },
      { code: 'format_note', message: 'Properties that say nothing of the text are not read: Status' },
    ],
  }
  expect(notion.read({ ...page, children: results })).toEqual(expected)
  expect(notion.read({ page, blocks: { object: 'list', results } })).toEqual(expected)
})

test('one block is a document; of a child page its blocks are', () => {
  const inside = [block('paragraph', words('inside'))]
  const content = [{ type: 'paragraph', content: ['inside'] }]
  expect(notion.read(block('toggle', words('More'), inside)).content).toEqual([
    { type: 'details', summary: ['More'], content },
  ])
  expect(notion.read(block('child_page', { title: 'Tides' }, inside))).toEqual({
    meta: { title: 'Tides' },
    content,
    warnings: [],
  })
})

test('of two properties for one member the second is left out, and said', () => {
  const rich = (content: string) => ({ type: 'rich_text', rich_text: [text(content)] })
  const properties = { Summary: rich('first'), Excerpt: rich('second'), Tags: rich('sea') }
  const { meta, warnings } = notion.read({ object: 'page', properties, children: [] })
  expect(meta).toEqual({ description: 'first' })
  expect(warnings.map(({ message }) => message)).toEqual([
    'The property "Excerpt" is not part of the text: second',
    'The property "Tags" is not part of the text: sea',
  ])
})

test('what is not in the document is a loss that names it', () => {
  expect(messages(block('image', { type: 'file_upload', file_upload: { id: 'f' } }))).toEqual([
    '“image” has no address and is left out: id-of-image.',
  ])
  expect(messages({ ...block('toggle', words('More')), has_children: true })).toEqual([
    'What stands in the block "id-of-toggle" (toggle) is not in the document: More',
  ])
  expect(messages(block('child_database', { title: 'Ports' }))).toEqual([
    'The rows of the database "Ports" are not in the document.',
  ])
  expect(messages(block('unsupported'))).toEqual([
    '“unsupported” has no counterpart and no words: it is left out.',
  ])
  expect(notion.read({ object: 'list', results: [], has_more: true }).warnings).toHaveLength(1)
})

test('a block that is not known keeps its words, links and the blocks in it', () => {
  const own = { rich_text: [text('Press')], button: { label: 'Go', url: 'https://example.com/go' } }
  expect(read(block('gadget', own, [block('paragraph', words('inside'))]))).toEqual({
    meta: {},
    content: [
      { type: 'paragraph', content: ['Press'] },
      { type: 'paragraph', content: [{ type: 'link', url: 'https://example.com/go', text: ['Go'] }] },
      { type: 'paragraph', content: ['inside'] },
    ],
    warnings: [
      {
        code: 'format_changed',
        message: '“gadget” has no counterpart: what is in it stands in its place.',
      },
    ],
  })
})

test('tabs are kept below each other, and that is no loss', () => {
  const tab = block('tab', {}, [block('paragraph', words('One'), [block('paragraph', words('in one'))])])
  const { content, warnings } = read(tab)
  expect(content).toEqual(['One', 'in one'].map((said) => ({ type: 'paragraph', content: [said] })))
  expect(new Set(warnings.map(({ code }) => code))).toEqual(new Set(['format_changed']))
})

test('what are no blocks of Notion is not taken for them', () => {
  const own = { type: 'paragraph', content: 'The sea rises.' }
  for (const value of [
    null,
    'text',
    [],
    {},
    [own],
    { type: 'document', content: [own] },
    { blocks: [{ type: 'paragraph', data: {} }] },
  ])
    expect(notion.detect(value)).toBe(false)
})

test('any value in any place is read', () => {
  const values = [
    null,
    7,
    'word',
    true,
    [],
    {},
    [[]],
    [{}],
    { rich_text: 7 },
    { rich_text: [null, { type: 'mention' }] },
  ]
  const types =
    'paragraph heading_1 bulleted_list_item to_do toggle quote callout code image file table column_list synced_block child_page link_to_page constructor'
  for (const type of types.split(' '))
    for (const own of [...values, { children: 'x', url: [], caption: {}, cells: 3, icon: 'x' }])
      for (const children of values)
        expect(() => read({ type, [type]: own, children, id: own }, own, children)).not.toThrow()
})
