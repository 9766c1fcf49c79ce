import { describe, expect, it } from 'vitest'
import { documentDataSchema } from '../../../src/contract/document.ts'
import { normaliseDocument } from '../../../src/contract/normalise.ts'
import { documentWords } from '../../render/documents/words.ts'

/** The words that a reader sees of one block, each block of the post on its own, and the codes of what is said. */
function read(block: unknown) {
  const { document, warnings } = normaliseDocument(
    documentDataSchema.parse({ title: 'T', content: { content: [block] } }),
  )
  return {
    words: document.blocks.map((block) => documentWords({ title: 'T', blocks: [block] }).join(' ')),
    warnings: [...new Set(warnings.map(({ code }) => code))],
  }
}

const paragraph = (...content: unknown[]) => ({ type: 'paragraph', content })
const p = (...children: unknown[]) => ({ type: 'p', children })
const url = 'https://example.com/a'

describe('words are kept', () => {
  it.each([
    ['behind an empty text', { type: 'paragraph', text: '', content: ['a'] }, 'a'],
    ['behind an empty array', { type: 'heading', level: 2, text: [], content: 'a' }, 'a'],
    ['behind an empty text of an item', paragraph({ type: 'bold', text: '', children: ['a'] }), 'a'],
    ['behind empty code', { type: 'code_block', value: '', code: 'a' }, 'a'],
    ['behind empty paragraphs of a quote', { type: 'quote', paragraphs: [], value: 'a' }, 'a'],
    ['behind an empty citation', { type: 'quote', value: 'a', citation: '', author: 'b' }, 'a b'],
    ['behind an empty text of a list item', { type: 'list', items: [{ text: '', children: ['a'] }] }, 'a'],
    [
      'behind a false, which some write for nothing',
      { type: 'heading', level: 2, text: false, content: 'a' },
      'a',
    ],
    ['behind a false, of a list', { type: 'list', items: false, children: ['a'] }, 'a'],
    ['of code under children', { type: 'code_block', children: [{ text: 'a' }, { text: 'b' }] }, 'a b'],
    ['of a quote under its own name', { type: 'quote', quote: 'a', author: 'b' }, 'a b'],
    [
      'of a quote, where several say who and where',
      { type: 'quote', value: 'a', author: 'b', source: 'c' },
      'a b, c',
    ],
    ['once, where two names say the same', paragraph({ text: 'a b', children: ['a ', p('b')] }), 'a b'],
    ['of the address of a link with nothing to click', paragraph({ type: 'link', url, text: ' ' }), url],
    ['behind a break that has some', paragraph('a', { type: 'br', text: 'b' }), 'a b'],
    ['apart, of strings side by side', paragraph('a', 'b'), 'a b'],
    ['apart, of paragraphs in a paragraph', paragraph(p('a'), p('b')), 'a b'],
    ['apart, of paragraphs in a cell', { type: 'table', rows: [[{ content: [p('a'), p('b')] }]] }, 'a b'],
    ['apart, of paragraphs in a list item', { type: 'list', items: [{ content: [p('a'), p('b')] }] }, 'a b'],
    ['apart, of text behind a paragraph', { type: 'list', items: [{ content: [p('a'), 'b'] }] }, 'a b'],
    ['apart, of paragraphs in a quote', { type: 'quote', content: [p('a'), p('b')] }, 'a b'],
    [
      'together, of what is no paragraph in a quote',
      { type: 'quote', content: [p('a'), 'b', { type: 'b', text: 'c' }] },
      'a bc',
    ],
    [
      'apart, of objects in the paragraphs of a quote',
      { type: 'quote', paragraphs: [{ text: 'a' }, { text: 'b' }] },
      'a b',
    ],
    [
      'of numbered items with their number',
      { type: 'list', items: [{ type: 'listitem', value: 1, children: [{ text: 'a' }] }] },
      'a',
    ],
    ['of numbered items with a text', { type: 'list', items: [{ value: 1, content: 'a' }] }, 'a'],
    ['of the one child of an item', { type: 'list', items: [{ text: 'a', children: 'b' }] }, 'a b'],
    [
      'of the list that is the children of an item',
      { type: 'list', items: [{ text: 'a', children: { type: 'list', items: ['b'] } }] },
      'a b',
    ],
    [
      'of the list that is the content of an item',
      { type: 'list', items: [{ text: 'a', content: { type: 'list', items: ['b'] } }] },
      'a b',
    ],
    ['of lists under a longer name', { type: 'list', items: [{ text: 'a', nestedItems: ['b'] }] }, 'a b'],
    [
      'once, of a list inside an item without a text',
      { type: 'list', items: [{ type: 'bold', items: ['a'] }] },
      'a',
    ],
    [
      'of every list inside an item',
      {
        type: 'list',
        items: [{ text: 'a', items: ['b'], lists: [{ type: 'list', items: ['c'] }], subItems: ['d'] }],
      },
      'a b c d',
    ],
    [
      'of items in the content of an item',
      { type: 'list', items: [{ text: 'a', content: [{ type: 'list_item', text: 'b' }] }] },
      'a b',
    ],
    ...['paragraph', 'text', 'list_item'].flatMap((type) =>
      [[{ type: 'list', items: ['b'] }], ['b']].map((children): [string, unknown, string] => [
        `of a list under the children of an item, a ${type}: ${JSON.stringify(children)}`,
        { type: 'list', items: [{ type, text: 'a', children }] },
        'a b',
      ]),
    ),
  ])('%s', (_name, block, words) => {
    const { words: kept, warnings } = read(block)
    expect({ words: kept.join(' '), warnings }).toEqual({ words, warnings: [] })
  })

  it.each([
    [
      'of items with items in a cell',
      { type: 'table', rows: [[{ type: 'li', text: 'a', items: ['b'] }]] },
      ['a b'],
      'inline_unknown',
    ],
    [
      'of a list where cells are expected',
      { type: 'table', rows: [{ cells: { type: 'ul', items: ['a', 'b'] } }] },
      ['a b'],
      'inline_unknown',
    ],
    [
      'of a block whose text is elsewhere',
      { type: 'paragraph', data: { text: 'a' } },
      ['a'],
      'block_unknown',
    ],
    ['of a list whose items are elsewhere', { type: 'list', entries: ['a', 'b'] }, ['a b'], 'block_unknown'],
    ['of inline content whose text is elsewhere', paragraph({ label: 'a' }), ['a'], 'inline_unknown'],
    [
      'of a link whose text is elsewhere',
      paragraph({ type: 'link', url, label: 'a' }),
      ['a'],
      'inline_unknown',
    ],
    [
      'of a cell whose text is elsewhere',
      { type: 'table', rows: [[{ amount: 5, unit: 'm' }]] },
      ['5 m'],
      'inline_unknown',
    ],
    [
      'of an author with a name',
      { type: 'quote', value: 'a', author: { name: 'b', role: 'c' } },
      ['a b c'],
      'inline_unknown',
    ],
    [
      'of a list item whose text is elsewhere',
      { type: 'list', items: [{ term: 'a', meaning: 'b' }] },
      ['a b'],
      'list_item_flattened',
    ],
    [
      'apart, of a heading in a quote',
      { type: 'quote', content: [{ type: 'h3', text: 'a' }, p('b')] },
      ['a b'],
      'quote_flattened',
    ],
    [
      'apart, of a quote in a list item',
      { type: 'list', items: [{ content: ['a', { type: 'blockquote', text: 'b', cite: 'c' }] }] },
      ['a b c'],
      'list_item_flattened',
    ],
    [
      'apart, of a list in a paragraph',
      paragraph(
        'a',
        {
          type: 'ul',
          children: [
            { type: 'li', children: ['b'] },
            { type: 'li', children: ['c'] },
          ],
        },
        'd',
      ),
      ['a b c d'],
      'inline_unknown',
    ],
    [
      'apart, of a quote in a paragraph',
      paragraph('a', { type: 'quote', value: 'b', citation: 'c' }),
      ['a b c'],
      'inline_unknown',
    ],
    [
      'apart, around a thing that has none',
      paragraph('a', { type: 'soft_break' }, 'b'),
      ['a b'],
      'inline_unknown',
    ],
    [
      'whole, of formats in what is not known',
      { type: 'callout', content: ['un', { type: 'bold', text: 'believ' }, 'able'] },
      ['unbelievable'],
      'block_unknown',
    ],
    [
      'of all that a picture without an address says',
      { type: 'image', alt: 'a', caption: 'b', title: 'c' },
      ['a', 'c', 'b'],
      'image_without_url',
    ],
    [
      'of inline content under two names',
      paragraph({ type: 'bold', text: 'a', children: ['b'] }, { type: 'link', url, text: 'c', content: 'd' }),
      ['a bc d'],
      'inline_unknown',
    ],
    [
      'of a list item that is bold, under two names',
      { type: 'list', items: [{ type: 'bold', text: 'a', children: ['b'] }] },
      ['a b'],
      'inline_unknown',
    ],
    [
      'of a cell under two names',
      { type: 'table', rows: [[{ text: 'a', children: ['b'] }]] },
      ['a b'],
      'inline_unknown',
    ],
    ['of code where a block of code has it', paragraph({ type: 'code', code: 'a' }), ['a'], 'inline_unknown'],
    [
      'of a kind that is not known, under two names',
      paragraph({ type: 'mention', text: 'a', value: 'b' }),
      ['a b'],
      'inline_unknown',
    ],
    [
      'of a paragraph in a quote, under two names',
      { type: 'quote', content: [{ type: 'p', text: 'a', children: ['b'] }] },
      ['a b'],
      'inline_unknown',
    ],
    [
      'of a table in a quote, whatever its columns are called',
      {
        type: 'quote',
        content: [{ type: 'table', headers: ['Level', 'Id'], rows: [{ level: 'a', id: 'b' }] }],
      },
      ['Level Id a b'],
      'quote_flattened',
    ],
    [
      'apart, around a break in what is not known',
      {
        type: 'callout',
        title: 'a',
        content: [{ type: 'br' }, { type: 'bold', text: 'b' }, { type: 'br' }, { text: 'c' }],
      },
      ['a b c'],
      'block_unknown',
    ],
    [
      'of rows that are no array',
      { type: 'table', headers: ['A'], rows: { x: ['a'], y: ['b'] } },
      ['A a b'],
      'table_rows',
    ],
    ['of a row that is no array', { type: 'table', headers: ['A'], rows: 'a' }, ['A a'], 'table_rows'],
  ])('%s, and it is said', (_name, block, words, warning) => {
    expect(read(block)).toEqual({ words, warnings: [warning] })
  })

  it.each([
    ['text beside other text', { type: 'paragraph', text: 'a', content: ['b'] }, 'a'],
    ['the title of a list', { type: 'list', title: 'x', items: ['a'] }, 'a'],
    ['the note of inline content', paragraph({ text: 'a', note: 'x' }), 'a'],
    ['the items of a paragraph', { type: 'paragraph', text: 'a', items: ['x'] }, 'a'],
    ['the title of text without an address', paragraph({ text: 'a', title: 'x' }), 'a'],
    ['a text beside true', { type: 'heading', level: 2, text: true, content: 'x' }, '', 'inline_unknown'],
    ['the name of a list', { type: 'list', items: ['a', { name: 'x', items: ['b'] }] }, 'a b'],
    [
      'the type of a row, for which there is no column',
      { type: 'table', headers: ['A'], rows: [{ A: 'a', type: 'x' }] },
      'A a',
    ],
    [
      'lists inside inline content',
      { type: 'list', items: [{ children: [{ text: 'a', sub_items: ['x'] }] }] },
      'a',
    ],
    ['the term of a list item', { type: 'list', items: [{ term: 'x', value: 'a' }] }, 'a'],
    ['a second quote', { type: 'quote', value: 'a', quote: 'x' }, 'a'],
    ['a second code', { type: 'code_block', value: 'a', code: 'x' }, 'a'],
    ['second rows', { type: 'table', rows: [['a']], data: [['x']] }, 'a'],
    ['a second header', { type: 'table', headers: ['a'], columns: ['x'] }, 'a'],
    ['the label of a row of the header', { type: 'table', headers: [{ label: 'x', cells: ['a'] }] }, 'a'],
    ['the label of a header', { type: 'table', headers: { label: 'x', cells: ['a'] } }, 'a'],
    ['a second alternative text', { type: 'image', url, alt: 'a', altText: 'x', caption: 'b' }, 'b'],
    [
      'a second alternative text beside an object',
      { type: 'image', url, alt: { text: 'a' }, altText: 'x', caption: 'b' },
      'b',
    ],
    ['the credit of a picture amid a paragraph', paragraph('a', { type: 'image', url, credit: 'x' }), 'a'],
    ['the name of a row', { type: 'table', rows: [{ label: 'x', cells: ['a'] }] }, 'a'],
    ['the foot of a table', { type: 'table', headers: ['A'], rows: [['a']], footer: ['x'] }, 'A a'],
    ['the description of a list item', { type: 'list', items: [{ text: 'a', description: 'x' }] }, 'a'],
    [
      'the text beside the items of a list in a list',
      { type: 'list', items: ['a', { type: 'list', text: 'x', items: ['b'] }] },
      'a b',
    ],
    [
      'the title of a list that is the first item of one',
      { type: 'list', items: [{ type: 'list', title: 'x', items: ['a'] }] },
      'a',
    ],
    [
      'the title of an item whose text is empty',
      { type: 'list', items: ['a', { text: '', title: 'x' }] },
      'a',
    ],
    ['the caption of code', { type: 'code_block', value: 'a', caption: 'x' }, 'a'],
    ['the credit of a picture', { type: 'image', url, caption: 'a', credit: 'x' }, 'a'],
    ['the transcript of a recording', { type: 'audio', url, transcript: 'x' }, ''],
  ])('or it is said that they are not: %s', (_name, block, words, ...others) => {
    const { words: kept, warnings } = read(block)
    expect({ words: kept.join(' ').trim(), warnings }).toEqual({
      words,
      warnings: [...others, 'text_left_out'],
    })
  })

  it.each([
    ['featured image', { featured_image: { url, alt: 'a', caption: 'x' } }],
    ['narration', { audio: { url, transcript: 'x' } }],
  ])('or it is said that they are not: what stands with the %s', (what, member) => {
    const { warnings } = normaliseDocument(
      documentDataSchema.parse({ title: 'T', ...member, content: { content: ['a'] } }),
    )
    expect(warnings).toEqual([{ code: 'text_left_out', message: expect.stringContaining(`of the ${what}`) }])
  })
})

describe('nothing is said', () => {
  it.each([
    [
      'of the same text twice',
      { type: 'paragraph', text: 'a b', content: ['a ', { type: 'bold', text: 'b' }] },
    ],
    ['of a caption that a picture has', { type: 'image', url, alt: 'a', caption: 'b', title: 'c' }],
    ['of a list under children', { type: 'ul', children: [{ type: 'li', children: ['a'] }] }],
    ['of the name of a column', { type: 'table', headers: [{ name: 'x', text: 'A' }], rows: [{ x: 'a' }] }],
    ['of how many columns there are', { type: 'table', columns: 1, headers: ['A'], rows: [['a']] }],
    ['of nested items', { type: 'list', items: [{ text: 'a', children: ['b'] }] }],
    ['of an empty paragraph with a style', { type: 'paragraph', attrs: { textAlign: 'left' }, indent: 0 }],
  ])('%s', (_name, block) => {
    expect(read(block).warnings).toEqual([])
  })
})

describe('what is said is what became of it', () => {
  it.each([
    [
      { type: 'table', rows: [[{ type: 'image', url, alt: 'a' }]] },
      'a picture amid text is left out, and its text is kept',
    ],
    [
      { type: 'list', items: ['a', { type: 'image', url }] },
      'a picture inside a list item is left out, and its text is kept',
    ],
    [
      { type: 'quote', content: ['a', { type: 'audio', url }] },
      'a recording inside a quote is left out, and its text is kept',
    ],
    [paragraph('a', { type: 'list', items: ['b'] }), 'a list amid text is kept as its text'],
    [{ type: 'heading', text: 'a' }, 'the heading has no level; 2 is used'],
    [{ type: 'heading', level: null, text: 'a' }, 'the heading has no level; 2 is used'],
  ])('%j', (block, message) => {
    const { warnings } = normaliseDocument(
      documentDataSchema.parse({ title: 'T', content: { content: [block] } }),
    )
    expect(warnings.map((warning) => warning.message.replace(/^.*?: /, ''))).toEqual([message])
  })
})

describe('nothing is made up', () => {
  it('of the measures of what is not known', () => {
    expect(read({ type: 'video', url, width: 640, height: 360 }).words).toEqual([url])
    expect(read({ type: 'spacer', height: 40 }).words).toEqual([])
  })

  it.each([{ className: 'spacer' }, { variant: 'lead' }, { align: 'center' }, { uid: 'a1' }])(
    'of how an empty paragraph looks: %j',
    (style) => {
      expect(read({ type: 'paragraph', ...style })).toEqual({ words: [''], warnings: [] })
    },
  )

  it('of how many columns a table has', () => {
    expect(read({ type: 'table', columns: 2, rows: [['a', 'b']] }).words).toEqual(['a b'])
  })
})

describe('formats and links are kept', () => {
  const inlines = (block: unknown) =>
    normaliseDocument(documentDataSchema.parse({ title: 'T', content: { content: [block] } })).document.blocks
  const link = { type: 'link', href: url, children: [{ type: 'text', text: 'a' }] }

  it('of a list item', () => {
    expect(inlines({ type: 'list', items: [{ text: 'a', url }] })).toMatchObject([
      { items: [{ content: [link] }] },
    ])
    expect(inlines({ type: 'list', items: [{ text: 'a', bold: true, items: ['b'] }] })).toMatchObject([
      { items: [{ content: [{ type: 'bold' }], lists: [{ items: [{}] }] }] },
    ])
  })

  it.each(['link', 'bold', 'mention'])('with the title of an address: %s', (type) => {
    for (const title of ['b', { text: 'b' }])
      expect(JSON.stringify(inlines(paragraph({ type, text: 'a', url, title })))).toContain('"title":"b"')
  })

  it('of a picture whose words are no strings', () => {
    expect(inlines({ type: 'image', url, alt: { text: 'a' }, altText: 'a', title: ['b', 5] })).toEqual([
      { type: 'image', url, alt: 'a', title: 'b 5' },
    ])
  })

  it('of an item of a kind that is not known', () => {
    expect(inlines(paragraph({ type: 'button', text: 'a', url }))).toEqual([paragraph(link)])
  })

  it.each(['picture', 'img'])('of a picture amid a paragraph, as %s', (type) => {
    const [, picture] = inlines(paragraph('a', { type, src: url, alt: 'b' }, 'c'))
    expect(picture).toEqual({ type: 'image', url, alt: 'b' })
  })

  it('of a picture that is all of a paragraph', () => {
    const image = { type: 'image', url, alt: 'a' }
    expect(inlines({ type: 'paragraph', content: image })).toEqual([image])
  })
})
