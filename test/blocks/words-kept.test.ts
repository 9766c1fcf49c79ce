import { describe, expect, it } from 'vitest'
import { textsOf } from '../../src/blocks/document.ts'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { inlineText } from '../../src/blocks/wire.ts'
import { documentDataSchema } from '../../src/contract/webhook.ts'

/** The words that a reader sees of one block, each block of the post on its own, and the codes of what is said. */
function read(block: unknown) {
  const { document, warnings } = normaliseDocument(
    documentDataSchema.parse({ title: 'T', content: { content: [block] } }),
  )
  const words = document.blocks.map((one) =>
    textsOf([one]).map(inlineText).join(' ').replace(/\s+/g, ' ').trim(),
  )
  return { words, warnings: [...new Set(warnings.map(({ code }) => code))] }
}

const paragraph = (...content: unknown[]) => ({ type: 'paragraph', content })
const p = (...children: unknown[]) => ({ type: 'p', children })
const list = (...items: unknown[]) => ({ type: 'list', items })
const table = (members: object) => ({ type: 'table', ...members })
const url = 'https://example.com/a'
const picture = { type: 'image', url, alt: 'x' }

describe('words are kept', () => {
  it.each<[what: string, block: unknown, ...words: string[]]>([
    ['behind an empty text', { type: 'paragraph', text: '', content: ['a'] }, 'a'],
    ['behind an empty array', { type: 'heading', level: 2, text: [], content: 'a' }, 'a'],
    ['behind an empty text of an item', paragraph({ type: 'bold', text: '', children: ['a'] }), 'a'],
    ['behind empty code', { type: 'code_block', value: '', code: 'a' }, 'a'],
    ['behind empty paragraphs of a quote', { type: 'quote', paragraphs: [], value: 'a' }, 'a'],
    ['behind an empty citation', { type: 'quote', value: 'a', citation: '', author: 'b' }, 'a b'],
    ['behind an empty text of a list item', list({ text: '', children: ['a'] }), 'a'],
    ['behind a false', { type: 'heading', level: 2, text: false, content: 'a' }, 'a'],
    ['behind a false, of a list', { type: 'list', items: false, children: ['a'] }, 'a'],
    ['of code under children', { type: 'code_block', children: [{ text: 'a' }, { text: 'b' }] }, 'a b'],
    ['of a quote under its own name', { type: 'quote', quote: 'a', author: 'b' }, 'a b'],
    ['of who said it and where', { type: 'quote', value: 'a', author: 'b', source: 'c' }, 'a b, c'],
    ['once, where two names say the same', paragraph({ text: 'a b', children: ['a ', p('b')] }), 'a b'],
    ['of the address of a link without words', paragraph({ type: 'link', url, text: ' ' }), url],
    ['behind a break that has some', paragraph('a', { type: 'br', text: 'b' }), 'a b'],
    ['apart, of strings side by side', paragraph('a', 'b'), 'a b'],
    ['apart, of paragraphs in a paragraph', paragraph(p('a'), p('b')), 'a', 'b'],
    ['apart, of paragraphs in a cell', table({ rows: [[{ content: [p('a'), p('b')] }]] }), 'a b'],
    ['apart, of paragraphs in a list item', list({ content: [p('a'), p('b')] }), 'a b'],
    ['apart, of text behind a paragraph', list({ content: [p('a'), 'b'] }), 'a b'],
    ['apart, of paragraphs in a quote', { type: 'quote', content: [p('a'), p('b')] }, 'a b'],
    [
      'together, of running text in a quote',
      { type: 'quote', content: [p('a'), 'b', { type: 'b', text: 'c' }] },
      'a bc',
    ],
    [
      'apart, of the paragraphs of a quote',
      { type: 'quote', paragraphs: [{ text: 'a' }, { text: 'b' }] },
      'a b',
    ],
    ['without the number of an item', list({ type: 'listitem', value: 1, children: [{ text: 'a' }] }), 'a'],
    ['without the number of an item with a text', list({ value: 1, content: 'a' }), 'a'],
    ['of the list under the children of an item', list({ text: 'a', children: list('b') }), 'a b'],
    ['of the list in the content of an item', list({ text: 'a', content: list('b') }), 'a b'],
    ['of lists under a longer name', list({ text: 'a', nestedItems: ['b'] }), 'a b'],
    [
      'of every list in an item',
      list({ text: 'a', items: ['b'], lists: [list('c')], subItems: ['d'] }),
      'a b c d',
    ],
    [
      'of items in the content of an item',
      list({ text: 'a', content: [{ type: 'list_item', text: 'b' }] }),
      'a b',
    ],
    [
      'of a list under the children of a paragraph',
      list({ type: 'paragraph', text: 'a', children: ['b'] }),
      'a b',
    ],
    [
      'of questions that name their answers',
      { type: 'faq', items: { 'Why?': 'a', 'How?': 'b' } },
      'Why? a',
      'How? b',
    ],
    ['of rows by their names', table({ rows: { Bristol: ['12 m', 'a'] } }), 'Bristol 12 m a'],
    ['of who said it', { type: 'pullquote', quote: 'a', by: 'b' }, 'a b'],
    ['of a block under data', { type: 'paragraph', data: { text: 'a' } }, 'a'],
    ['of a heading in a quote', { type: 'quote', content: [{ type: 'h3', text: 'a' }, p('b')] }, 'a b'],
    [
      'of a quote in a list item',
      list({ content: ['a', { type: 'blockquote', text: 'b', cite: 'c' }] }),
      'a b c',
    ],
    [
      'of a list in a paragraph',
      paragraph('a', { type: 'ul', children: [{ type: 'li', children: ['b'] }] }, 'd'),
      'a',
      'b',
      'd',
    ],
    ['of code in a list item', list({ content: ['a', { type: 'code_block', value: 'b' }, 'c'] }), 'a b c'],
    [
      'of a table in a quote, whatever its columns are called',
      { type: 'quote', content: [table({ headers: ['Level', 'Id'], rows: [{ level: 'a', id: 'b' }] })] },
      'Level Id a b',
    ],
    ['of rows by name', table({ headers: ['A'], rows: { x: ['a'], y: ['b'] } }), 'A a b'],
    ['of a row that is no array', table({ headers: ['A'], rows: 'a' }), 'A a'],
    ['of the foot of a table', table({ headers: ['A'], rows: [['a']], footer: ['x'] }), 'A a x'],
    ['of a row keyed by header', table({ headers: ['A', 'B'], rows: [{ b: 'b', A: 'a' }] }), 'A B a b'],
    ['of rows without a header', table({ rows: [{ A: 'a', B: 'b' }, { B: 'c' }] }), 'A B a b c'],
    ['of a member that no header names', table({ headers: ['A'], rows: [{ A: 'a', more: 'b' }] }), 'A a b'],
    ['of columns with a key', table({ headers: [{ key: 'p', text: 'Port' }], rows: [{ p: 'a' }] }), 'Port a'],
    ['of a header that is a row', table({ head: [['A', 'B']], body: [['a', 'b']] }), 'A B a b'],
    [
      'of the label of a row that has a column',
      table({ headers: ['', 'B'], rows: [{ label: 'x', cells: ['a'] }] }),
      'B x a',
    ],
    ['of a task, with its tick', list({ text: 'a', checked: true }, { text: 'b', done: false }), '☑ a ☐ b'],
    ['of tasks by their names', { type: 'checklist', items: { Buy: true, sell: false } }, '☑ Buy ☐ sell'],
    ['of tasks by their names, one by one', list({ Buy: true }, { sell: false }), '☑ Buy ☐ sell'],
    ['of a type that is a list of tasks', { type: 'todo', items: { Buy: true } }, '☑ Buy'],
    ['of terms', { type: 'list', items: { Tide: 'a', Ebb: ['b'], Flow: null } }, 'Tide: a Ebb b Flow'],
    ['of numbered items', { type: 'list', items: { 1: 'a', 2: 'b' } }, 'a b'],
    ['of paragraphs with a blank line between them', { type: 'paragraph', text: 'a\n\nb' }, 'a', 'b'],
    [
      'of a second text that is the same',
      { type: 'paragraph', text: 'a b', content: ['a ', { type: 'bold', text: 'b' }] },
      'a b',
    ],
    ['of a grid of so many columns', { type: 'grid', columns: 2, items: ['a', 'b', 'c'] }, 'a b', 'c'],
    [
      'of answers as schema.org has them',
      {
        type: 'faq',
        mainEntity: [{ '@type': 'Question', name: 'a', acceptedAnswer: { '@type': 'Answer', text: 'b' } }],
      },
      'a b',
    ],
    ['of answers in one letter', { type: 'faq', items: [{ q: 'a', a: 'b' }] }, 'a b'],
    ['and not how many columns there are', table({ columns: 1, headers: ['A'], rows: [['a']] }), 'A a'],
    [
      'and not how an empty paragraph looks',
      { type: 'paragraph', attrs: { textAlign: 'left' }, indent: 0 },
      '',
    ],
  ])('%s', (_what, block, ...words) => {
    expect(read(block)).toEqual({ words, warnings: [] })
  })

  it.each<[what: string, block: unknown, code: string, ...words: string[]]>([
    ['of items whose list is elsewhere', { type: 'list', entries: ['a', 'b'] }, 'block_unknown', 'a b'],
    ['of text whose place is elsewhere', paragraph({ label: 'a' }), 'inline_unknown', 'a'],
    [
      'of a link whose text is elsewhere',
      paragraph({ type: 'link', url, label: 'a' }),
      'inline_unknown',
      'a',
    ],
    [
      'of a cell whose text is elsewhere',
      table({ rows: [[{ amount: 5, unit: 'm' }]] }),
      'inline_unknown',
      '5 m',
    ],
    [
      'of an author with a name',
      { type: 'quote', value: 'a', author: { name: 'b', role: 'c' } },
      'inline_unknown',
      'a b c',
    ],
    ['of a list item whose text is elsewhere', list({ term: 'a', meaning: 'b' }), 'member_kept', 'a b'],
    ['of an item with a title and a text', list({ title: 'x', value: 'a' }), 'member_kept', 'x a'],
    [
      'whole, of formats in what is not known',
      { type: 'unheard_of', content: ['un', { type: 'bold', text: 'believ' }, 'able'] },
      'block_unknown',
      'unbelievable',
    ],
    [
      'of a picture without an address',
      { type: 'image', alt: 'a', caption: 'b', title: 'c' },
      'image_without_url',
      'a',
      'c',
      'b',
    ],
    [
      'of inline content under two names',
      paragraph({ type: 'bold', text: 'a', children: ['b'] }),
      'inline_unknown',
      'a b',
    ],
    ['of code where a block of code has it', paragraph({ type: 'code', code: 'a' }), 'inline_unknown', 'a'],
    ['of a note beside a text', paragraph({ text: 'a', note: 'x' }), 'inline_unknown', 'a x'],
    ['of text beside other text', { type: 'paragraph', text: 'a', content: ['b'] }, 'member_kept', 'a', 'b'],
    ['of the title of a list', { type: 'list', title: 'x', items: ['a'] }, 'member_kept', 'x', 'a'],
    [
      'of the title of a list in a list',
      list('a', { type: 'list', title: 'x', items: ['b'] }),
      'member_kept',
      'a x b',
    ],
    ['of the description of an item', list({ text: 'a', description: 'x' }), 'member_kept', 'a x'],
    ['of the items of a paragraph', { type: 'paragraph', text: 'a', items: ['x'] }, 'member_kept', 'a', 'x'],
    ['of the caption of code', { type: 'code_block', value: 'a', caption: 'x' }, 'member_kept', 'a', 'x'],
    [
      'of the credit of a picture',
      { type: 'image', url, caption: 'a', credit: 'x' },
      'member_kept',
      'a',
      'x',
    ],
    ['of the transcript of a recording', { type: 'audio', url, transcript: 'x' }, 'member_kept', '', 'x'],
    ['of a list in a cell', table({ rows: [[list('a', 'b')]] }), 'block_flattened', 'a b'],
    [
      'of a section',
      { type: 'region', title: 'x', content: [p('a'), list('b')] },
      'block_unwrapped',
      'x',
      'a',
      'b',
    ],
    [
      'of groups of blocks',
      { type: 'grid', parts: [[p('a')], { content: [p('b')] }] },
      'block_unwrapped',
      'a',
      'b',
    ],
    [
      'of named lists',
      { type: 'for_and_against', pros: ['a'], cons: ['b'] },
      'block_unknown',
      'Pros',
      'a',
      'Cons',
      'b',
    ],
    ['of pictures', { type: 'slides', images: [{ url, alt: 'x' }, `${url}.png`] }, 'block_unwrapped', '', ''],
    ['of an address', { type: 'unheard_of', title: 'a', url }, 'block_unknown', 'a'],
    [
      'of an object inside',
      { type: 'unheard_of', text: 'a', link: { label: 'b', url } },
      'block_unknown',
      'a',
      'b',
    ],
    [
      'of a glossary',
      { type: 'glossary', terms: { Tide: 'a', Ebb: 'b' } },
      'block_unknown',
      'Tide',
      'a',
      'Ebb',
      'b',
    ],
    ['of numbers by their names', { type: 'kpi', metrics: { Users: 500 } }, 'block_unknown', 'Users', '500'],
    ['of a title that the text repeats', list({ title: 'Mix', text: 'Mix it' }), 'member_kept', 'Mix Mix it'],
    ['of a number that is all an item says', list({ number: 42, label: 'sites' }), 'member_kept', 'sites 42'],
    [
      'of columns by their names',
      { type: 'columns', columns: { left: [paragraph('a')], right: [paragraph('b')] } },
      'block_unwrapped',
      'a',
      'b',
    ],
    ['of buttons by their words', { type: 'buttons', buttons: { Go: url } }, 'block_unknown', 'Go', url],
    [
      'of blocks in blocks that are not known',
      {
        type: 'section',
        title: 'a',
        children: [
          { type: 'section', heading: 'b', blocks: [{ type: 'section', content: [paragraph('c')] }] },
        ],
      },
      'block_unwrapped',
      'a',
      'b',
      'c',
    ],
  ])('%s, and it is said', (_what, block, code, ...words) => {
    expect(read(block)).toEqual({ words, warnings: [code] })
  })

  it.each([
    ['featured image', { featured_image: { url, alt: 'a', caption: 'x' } }],
    ['narration', { audio: { url, transcript: 'x' } }],
  ])('or it is said that they are not: what stands with the %s', (what, member) => {
    const { warnings } = normaliseDocument(
      documentDataSchema.parse({ title: 'T', ...member, content: { content: ['a'] } }),
    )
    expect(warnings).toEqual([
      expect.objectContaining({ code: 'text_left_out', message: expect.stringContaining(`of the ${what}`) }),
    ])
  })

  it.each([
    [{ featured_image: { source_url: url, id: 7 } }, url],
    [{ featured_image: { url: [url, `${url}2`] } }, `${url}, ${url}2`],
    [{ featured_image: url, content: { featured_image: { url: `${url}2` } } }, `${url}2`],
  ])('or it is said that they are not: addresses of a featured image, as in %j', (members, named) => {
    const { content, ...data } = { content: {}, ...members }
    const { warnings } = normaliseDocument(
      documentDataSchema.parse({ title: 'T', ...data, content: { ...content, content: ['a'] } }),
    )
    expect(warnings).toEqual([
      { code: 'picture_left_out', message: expect.stringMatching(new RegExp(`: ${named}$`)) },
    ])
  })

  it('or it is said that they are not: the label of a row that has no column', () => {
    expect(read(table({ rows: [{ label: 'x', cells: ['a'] }] }))).toEqual({
      words: ['a'],
      warnings: ['text_left_out'],
    })
  })
})

it.each<[what: string, block: unknown, expected: unknown]>([
  [
    'rows of what is not known are a table',
    { type: 'comparison', columns: ['a', 'b'], rows: [['c', 'd']] },
    { type: 'table', headers: [[{ type: 'text', text: 'a' }], [{ type: 'text', text: 'b' }]] },
  ],
  [
    'a head and a footer of one row each are as wide as cells that span',
    table({ head: [['a', 'b']], body: [[{ value: 'c', colSpan: '2' }]], foot: [['d', 'e']] }),
    { headers: [[{ text: 'a' }], [{ text: 'b' }]], rows: [[{ colspan: 2 }]], footer: [{}, {}] },
  ],
  [
    'pictures of a gallery may have names',
    { type: 'gallery', images: { one: { url: `${url}.png` }, two: { url: `${url}2.png` } } },
    { type: 'gallery', images: [{ url: `${url}.png` }, { url: `${url}2.png` }] },
  ],
  [
    'what stands with the address of a picture is its own',
    { type: 'image', image: { url: `${url}.png`, alternativeText: 'a', caption: 'b' } },
    { type: 'image', url: `${url}.png`, alt: 'a', caption: [{ type: 'text', text: 'b' }] },
  ],
  ['the format of a list is its order', { type: 'list', format: 'ordered', items: ['a'] }, { ordered: true }],
  [
    'a picture in several sizes is the last',
    { type: 'image', src: { small: `${url}.png`, large: `${url}2.png` }, alt: 'a' },
    { type: 'image', url: `${url}2.png` },
  ],
  [
    'a video in several formats is the first',
    { type: 'video', sources: [{ src: `${url}.mp4` }, { src: `${url}.webm` }] },
    { type: 'video', url: `${url}.mp4` },
  ],
])('%s', (_what, block, expected) => {
  const data = documentDataSchema.parse({ title: 'T', content: { content: [block] } })
  expect(normaliseDocument(data).document.blocks).toMatchObject([expected])
})

describe('formats, pictures and links are kept', () => {
  const blocks = (block: unknown) =>
    normaliseDocument(documentDataSchema.parse({ title: 'T', content: { content: [block] } })).document.blocks
  const text = (value: string) => ({ type: 'text', text: value })
  const link = { type: 'link', href: url, children: [text('a')] }

  it('of a list item', () => {
    expect(blocks(list({ text: 'a', url }))).toMatchObject([{ items: [{ content: [link] }] }])
    expect(blocks(list({ text: 'a', bold: true, items: ['b'] }))).toMatchObject([
      { items: [{ content: [{ type: 'bold' }], blocks: [{ type: 'list' }] }] },
    ])
  })

  it.each(['strike', 'underline', 'superscript', 'subscript', 'highlight', 'keyboard'])(
    'of the flag %s',
    (flag) => {
      expect(blocks(paragraph({ text: 'a', [flag]: true }))).toEqual([
        paragraph({ type: flag, children: [text('a')] }),
      ])
    },
  )

  it('of marks', () => {
    const marks = [{ type: 'strong' }, { type: 'link', attrs: { href: url } }]
    expect(blocks(paragraph({ type: 'text', text: 'a', marks }))).toEqual([
      paragraph({ ...link, children: [{ type: 'bold', children: [text('a')] }] }),
    ])
  })

  it.each(['link', 'bold', 'mention'])('with the title of an address: %s', (type) => {
    for (const title of ['b', { text: 'b' }])
      expect(JSON.stringify(blocks(paragraph({ type, text: 'a', url, title })))).toContain('"title":"b"')
  })

  it.each(['picture', 'img'])('of a picture amid a paragraph, as %s', (type) => {
    const [, middle] = blocks(paragraph('a', { type, src: url, alt: 'b' }, 'c'))
    expect(middle).toEqual({ type: 'image', url, alt: 'b' })
  })

  it('of a picture in a list item and in a quote', () => {
    expect(blocks(list({ content: ['a', picture] }))).toMatchObject([{ items: [{ blocks: [picture] }] }])
    expect(blocks({ type: 'quote', content: ['a', picture] })).toMatchObject([{ content: [{}, picture] }])
  })

  it('of a picture that does not say what it is', () => {
    expect(blocks({ url, alt: 'x' })).toEqual([picture])
  })

  it('of a picture in a cell', () => {
    expect(JSON.stringify(blocks(table({ rows: [[picture]] })))).toContain('"type":"inline_image"')
  })
})
