import { describe, expect, it, test } from 'vitest'
import { filesOf, textsOf } from '../../src/blocks/document.ts'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { inlineText } from '../../src/blocks/wire.ts'
import { LimitError } from '../../src/contract/limits.ts'
import { renderSettingsSchema } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'
import { growth, NOT_LINEAR } from '../support/growth.ts'

const read = (content: unknown[], more = {}) =>
  normaliseDocument({ title: 'T', content: { content, ...more } } as Parameters<typeof normaliseDocument>[0])

/** What the post has of a document: where its notes stand, and the notes. */
function shown({ document }: ReturnType<typeof read>) {
  const settings = renderSettingsSchema.parse({})
  const { markup, footnotes } = renderDocument(document, { format: 'block', media: new Map(), settings })
  const text = markup.replace(/<!--.*?-->/g, '').replace(/<[^>]+>/g, '')
  return { text: text.replace(/\s+/g, ' ').trim(), notes: footnotes.map(({ content }) => content) }
}

const paragraph = (...content: unknown[]) => ({ type: 'paragraph', content })
const reference = (id: unknown) => ({ type: 'footnote', id })

describe('a note is found', () => {
  const inText = [paragraph('a', reference('n'), ' b')]
  it.each<[string, unknown[], object?]>([
    ['amid the text', [paragraph('a', { type: 'footnote', text: ['The ', 'note'] }, ' b')]],
    ['under another name', [paragraph('a', { type: 'endnote', note: 'The note' }, ' b')]],
    ['in a block', [...inText, { type: 'footnotes', notes: [{ id: 'n', text: 'The note' }] }]],
    ['in a block before the text', [{ type: 'footnotes', notes: { n: 'The note' } }, ...inText]],
    ['as a block of its own', [...inText, { type: 'footnote', id: 'n', content: 'The note' }]],
    ['in a member of the document', inText, { footnotes: [{ id: 'n', content: 'The note' }] }],
    [
      'by its number',
      [paragraph('a', { type: 'footnote_ref', ref: 1 }, ' b'), { type: 'footnotes', items: ['The note'] }],
    ],
    [
      'as mdast has it',
      [
        paragraph('a', { type: 'footnoteReference', identifier: 'n', label: 'n' }, ' b'),
        { type: 'footnoteDefinition', identifier: 'n', children: [paragraph('The note')] },
      ],
    ],
  ])('%s', (_, content, more) => {
    expect(shown(read(content, more))).toEqual({ text: 'a1 b', notes: ['The note'] })
  })
})

test('notes have the order of their references, and one is referred to twice', () => {
  const notes = {
    type: 'footnotes',
    notes: [
      { id: 'x', text: 'X' },
      { id: 'y', text: 'Y' },
    ],
  }
  expect(
    shown(read([notes, paragraph('a', reference('y'), ' b', reference('x'), ' c', reference('y'))])),
  ).toEqual({
    text: 'a1 b2 c1',
    notes: ['Y', 'X'],
  })
})

test.each<[string, (chapter: string, content: unknown[]) => unknown[]]>([
  ['beside each other', (_, content) => content],
  ['in sections', (title, content) => [{ type: 'section', title, content }]],
])('chapters that count their notes from 1 have their own, %s', (_, chapter) => {
  const notesOf = (...notes: unknown[]) => ({ type: 'footnotes', notes })
  const one = chapter('One', [paragraph('a', reference(1)), notesOf('First', 'Left')])
  const two = chapter('Two', [paragraph('b', reference(1), reference(1)), notesOf({ id: 1, text: 'Second' })])
  const { text, notes } = shown(read([...one, ...two]))
  expect(notes).toEqual(['First', 'Second'])
  expect(text.replace(/One|Two|\s/g, '')).toMatch(/^a1(?:b22Left|Leftb22)$/)
})

test('of two notes with one id in a list, the second is not lost', () => {
  const twice = ['X', 'Y', 'X'].map((text) => ({ id: 'n', text }))
  const { text, notes } = shown(read([paragraph('a', reference('n')), { type: 'footnotes', notes: twice }]))
  expect([text, ...notes]).toEqual(['a1 Y', 'X'])
})

test('a note that stands with two references under one id is one, and another text under the id another', () => {
  const noted = (text: string, id?: string) => ({ type: 'footnote', id, text })
  const texts = [noted('X', 'n'), noted('X', 'n'), noted('Y', 'n'), noted('Ibid.'), noted('Ibid.')]
  expect(shown(read([paragraph('a', ...texts)]))).toEqual({
    text: 'a11234',
    notes: ['X', 'Y', 'Ibid.', 'Ibid.'],
  })
})

test('a note without a reference stays in a list, and a reference without a note as its sign', () => {
  const { document, warnings } = read([
    paragraph('a', reference('z')),
    { type: 'footnotes', notes: [{ id: 'x', text: 'X' }] },
  ])
  expect(textsOf(document.blocks).map(inlineText)).toEqual(['az', 'X'])
  expect(warnings).toMatchObject([{ code: 'inline_unknown', message: expect.stringContaining('“z”') }])
})

test('a note inside a note stands in it, and notes that refer to each other end', () => {
  const nested = { type: 'footnote', text: ['A', { type: 'footnote', text: 'B' }] }
  expect(shown(read([paragraph('a', nested)])).notes).toEqual(['A (B)'])
  const listed = { type: 'footnotes', notes: { x: ['X', reference('y')], y: ['Y', reference('x')] } }
  expect(shown(read([paragraph('a', reference('x'), reference('y')), listed])).notes).toEqual([
    'X<sup>y</sup>',
    'Y<sup>x</sup>',
  ])
})

test('the words of a note count as text, and its pictures are files', () => {
  const url = 'https://example.com/a.png'
  const { document } = read([
    paragraph('a', { type: 'footnote', text: ['The note', { type: 'inline_image', url, alt: '' }] }),
  ])
  expect(filesOf(document.blocks)).toMatchObject([{ url }])
  expect(textsOf(document.blocks).map(inlineText)).toEqual(['a', 'The note'])
})

test('a list of notes of one name takes as long as it is, also where it is refused for its length', () => {
  const list = (size: number) => [
    paragraph(reference('n')),
    { type: 'footnotes', notes: Array.from({ length: size }, (_, at) => ({ id: 'n', text: `${at}` })) },
  ]
  const readOrRefuse = (content: unknown[]) => {
    try {
      read(content)
    } catch (error) {
      expect(error).toBeInstanceOf(LimitError)
    }
  }
  expect(growth(readOrRefuse, list, 2_500)).toBeLessThan(NOT_LINEAR)
})
