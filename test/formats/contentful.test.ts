import { expect, test } from 'vitest'
import { contentful } from '../../src/formats/contentful.ts'
import { fixtures, missingIn, type Shown } from '../support/formats.ts'

/** Texts, addresses and resolved assets of a document, by their names alone. */
function shownInRichText(value: unknown, shown: Shown = { texts: [], addresses: [] }): Shown {
  if (Array.isArray(value)) for (const element of value) shownInRichText(element, shown)
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner !== 'string') shownInRichText(inner, shown)
      else if (['value', 'title', 'description'].includes(name)) shown.texts.push(inner)
      else if (['uri', 'url'].includes(name)) shown.addresses.push(inner.replace(/^\/\//, 'https://'))
    }
  return shown
}

const documents = fixtures('contentful')

test('at least 30 documents of other projects are read', () => {
  expect(documents.length).toBeGreaterThanOrEqual(30)
})

test.each(documents)('nothing is missing of $source', ({ document }) => {
  expect(contentful.detect(document)).toBe(true)
  expect(missingIn(contentful.read(document), shownInRichText(document))).toEqual([])
})

const text = (value: string, ...marks: string[]) => ({
  nodeType: 'text',
  value,
  marks: marks.map((type) => ({ type })),
  data: {},
})
const node = (nodeType: string, content: unknown[], data: object = {}) => ({ nodeType, content, data })
const read = (content: unknown[], beside: object = {}) =>
  contentful.read({ nodeType: 'document', data: {}, content, ...beside })
const link = (linkType: string, id: string) => ({ target: { sys: { type: 'Link', linkType, id } } })
const photo = {
  sys: { id: 'photo', type: 'Asset' },
  fields: {
    title: 'The bay',
    description: 'A bay at low tide',
    file: {
      url: '//images.ctfassets.net/a/bay.jpg',
      contentType: 'image/jpeg',
      details: { image: { width: 800, height: 600 } },
    },
  },
}

test('marks become formats, and neighbours with the same mark stand in one', () => {
  expect(
    read([
      node('paragraph', [
        text('10'),
        text('-3', 'superscript'),
        text(' bold ', 'bold'),
        text('both', 'bold', 'italic'),
        text('gone', 'strikethrough', 'code'),
        node('hyperlink', [text('a'), text('b', 'underline')], { uri: 'https://example.com/' }),
        text('x', 'sparkle'),
      ]),
    ]),
  ).toEqual({
    content: [
      {
        type: 'paragraph',
        content: [
          '10',
          { type: 'superscript', text: ['-3'] },
          { type: 'bold', text: [' bold ', { type: 'italic', text: ['both'] }] },
          { type: 'strike', text: [{ type: 'code', text: 'gone' }] },
          { type: 'link', url: 'https://example.com/', text: ['a', { type: 'underline', text: ['b'] }] },
          'x',
        ],
      },
    ],
    warnings: [
      { code: 'format_changed', message: 'The mark “sparkle” is unknown; its words are kept without it.' },
    ],
  })
})

test('a list item keeps its text, its lists and what else stands in it', () => {
  const item = (...content: unknown[]) => node('list-item', content)
  const words = (value: string) => node('paragraph', [text(value)])
  expect(
    read([
      node('ordered-list', [
        item(words('one'), node('unordered-list', [item(words('inner'))])),
        item(words('two'), words('more'), node('hr', [])),
      ]),
    ]).content,
  ).toEqual([
    {
      type: 'list',
      ordered: true,
      items: [
        { text: ['one'], items: [{ text: ['inner'] }], ordered: false },
        { text: ['two', { type: 'break' }, { type: 'break' }, 'more'], blocks: [{ type: 'separator' }] },
      ],
    },
  ])
})

test('the first row of a table is its header where all its cells are; spans are kept', () => {
  const cell = (value: string, kind = 'table-cell', data = {}) =>
    node(kind, [node('paragraph', [text(value)])], data)
  const row = (...cells: unknown[]) => node('table-row', cells)
  expect(
    read([
      node('table', [
        row(cell('A', 'table-header-cell'), cell('B', 'table-header-cell')),
        row(cell('C', 'table-header-cell'), cell('D')),
        row(cell('E', 'table-cell', { colspan: 2 })),
      ]),
    ]).content,
  ).toEqual([
    {
      type: 'table',
      headers: [['A'], ['B']],
      rows: [[{ content: ['C'], header: true }, ['D']], [{ content: ['E'], colspan: 2 }]],
    },
  ])
})

test('a picture is found in place, in includes, and in the links of GraphQL', () => {
  const embedded = node('embedded-asset-block', [], link('Asset', 'photo'))
  const image = {
    type: 'image',
    url: 'https://images.ctfassets.net/a/bay.jpg',
    alt: 'A bay at low tide',
    title: 'The bay',
    width: 800,
    height: 600,
  }
  const { url } = image
  const links = {
    assets: {
      block: [
        {
          sys: { id: 'photo' },
          url,
          title: 'The bay',
          description: 'A bay at low tide',
          width: 800,
          height: 600,
        },
      ],
    },
  }
  const json = { nodeType: 'document', content: [embedded] }
  expect(read([node('embedded-asset-block', [], { target: photo })]).content).toEqual([image])
  expect(read([embedded], { includes: { Asset: [photo] } }).content).toEqual([image])
  expect(contentful.read({ json, links }).content).toEqual([image])
  expect(contentful.read({ data: { json, links } }).content).toEqual([image])
})

test('an asset without an address is a loss that names it', () => {
  expect(read([node('embedded-asset-block', [], link('Asset', 'photo'))])).toEqual({
    content: [],
    warnings: [
      {
        code: 'format_left_out',
        message:
          'The embedded asset "photo" has no address in the document. Send it with "includes", or with its targets resolved.',
      },
    ],
  })
})

test('links to assets and entries lead to their addresses, where these are known', () => {
  const page = { sys: { id: 'page', type: 'Entry' }, fields: { url: 'https://example.com/page' } }
  const { content, warnings } = read(
    [
      node('paragraph', [
        node('asset-hyperlink', [text('bay')], link('Asset', 'photo')),
        node('entry-hyperlink', [text('page')], link('Entry', 'page')),
        node('entry-hyperlink', [text('elsewhere')], link('Entry', 'other')),
      ]),
    ],
    { includes: { Asset: [photo], Entry: [page] } },
  )
  expect(content).toEqual([
    {
      type: 'paragraph',
      content: [
        { type: 'link', url: 'https://images.ctfassets.net/a/bay.jpg', text: ['bay'] },
        { type: 'link', url: 'https://example.com/page', text: ['page'] },
        'elsewhere',
      ],
    },
  ])
  expect(warnings.map(({ message }) => message)).toEqual([
    'The link of “elsewhere” has no address (other); its words are kept.',
  ])
})

test('an embedded entry is kept as its words, code, links and pictures', () => {
  const entry = {
    sys: { id: 'cta', type: 'Entry', contentType: { sys: { id: 'callToAction' } } },
    fields: {
      label: 'Read on',
      url: 'https://example.com/more',
      sample: { code: 'ebb()', language: 'js' },
      body: { nodeType: 'document', content: [node('heading-2', [text('Tides')])] },
      image: photo,
      self: { sys: { type: 'Link', linkType: 'Entry', id: 'cta' } },
    },
  }
  const { content, warnings } = read([node('embedded-entry-block', [], link('Entry', 'cta'))], {
    includes: { Entry: [entry] },
  })
  expect(content).toMatchObject([
    { type: 'paragraph', content: [{ type: 'link', url: 'https://example.com/more', text: ['Read on'] }] },
    { type: 'code_block', value: 'ebb()', language: 'js' },
    { type: 'heading', level: 2, text: ['Tides'] },
    { type: 'image', url: 'https://images.ctfassets.net/a/bay.jpg' },
  ])
  expect(warnings.map(({ message }) => message)).toEqual([
    'The embedded entry "cta" (callToAction) is kept as its words, links and pictures.',
    'The entry "cta" is left out where it is embedded too deeply or too often.',
  ])
})

test('an entry gives its title, slug, description and picture, and names the fields that are left out', () => {
  const entry = {
    sys: { id: 'post', type: 'Entry' },
    fields: {
      title: { 'en-US': 'Tides', de: 'Gezeiten' },
      slug: { 'en-US': 'tides' },
      heroImage: { 'en-US': { sys: { type: 'Link', linkType: 'Asset', id: 'photo' } } },
      body: { 'en-US': { nodeType: 'document', content: [node('paragraph', [text('The sea rises.')])] } },
      tags: { 'en-US': ['sea'] },
      subtitle: { 'en-US': 'Twice a day' },
      date: { 'en-US': '2026-11-21T09:30Z' },
    },
  }
  const response = { sys: { type: 'Array' }, items: [entry], includes: { Asset: [photo] } }
  expect(contentful.detect(response)).toBe(true)
  expect(contentful.read(response)).toEqual({
    meta: {
      title: 'Tides',
      slug: 'tides',
      featured_image: { url: 'https://images.ctfassets.net/a/bay.jpg', alt: 'A bay at low tide' },
      tags: ['sea'],
    },
    content: [{ type: 'paragraph', content: ['The sea rises.'] }],
    warnings: [
      {
        code: 'format_left_out',
        message: 'The field "subtitle" of the entry is not part of the text: Twice a day',
      },
      { code: 'format_left_out', message: 'The field "title" is read in its first language; left out: de.' },
    ],
  })
})

test('what is no Rich Text is not taken for it', () => {
  for (const value of [
    null,
    'text',
    [],
    {},
    { type: 'document', content: [] },
    { blocks: [] },
    { items: [{}] },
  ])
    expect(contentful.detect(value)).toBe(false)
})

test('any value in any place is read', () => {
  const values = [null, 7, 'word', true, [], {}, [[]], { nodeType: 7 }, { nodeType: 'text' }, { sys: null }]
  const types =
    'paragraph heading-1 table table-row ordered-list list-item hyperlink embedded-entry-block embedded-asset-block embedded-entry-inline text blockquote constructor'
  for (const nodeType of types.split(' '))
    for (const content of values)
      for (const data of [...values, { target: {} }, { target: { sys: 5, fields: 'x' } }, { uri: {} }])
        expect(() =>
          read([{ nodeType, content, data, marks: content, value: data }, content, data]),
        ).not.toThrow()
})

test('entries that embed each other many times do not grow without end', () => {
  const embed = (id: string) => node('embedded-entry-block', [], link('Entry', id))
  const entries = Array.from({ length: 9 }, (_, at) => ({
    sys: { id: `e${at}`, type: 'Entry' },
    fields: { body: { nodeType: 'document', content: Array(40).fill(embed(`e${at + 1}`)) } },
  }))
  const last = { sys: { id: 'e9', type: 'Entry' }, fields: { words: 'again' } }
  const { content, warnings } = read([embed('e0')], { includes: { Entry: [...entries, last] } })
  expect(content.length).toBeLessThan(500_000)
  expect(warnings.some(({ code }) => code === 'format_left_out')).toBe(true)
})
