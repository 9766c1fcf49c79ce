import { describe, expect, it } from 'vitest'
import { readList } from '../../../src/contract/normalise/list.ts'
import { createReading } from '../../../src/contract/normalise/reading.ts'

const text = (value: string) => ({ type: 'text', text: value })
const item = (value: string, ...lists: unknown[]) => ({ content: [text(value)], lists })
const list = (ordered: boolean, ...items: unknown[]) => ({ type: 'list', ordered, items })

function read(wire: Record<string, unknown>) {
  const reading = createReading()
  return {
    lists: readList({ type: 'list', ...wire }, reading),
    warnings: reading.warnings.map(({ code }) => code),
  }
}

describe('the order of a list', () => {
  it.each([
    [{ ordered: true }, true],
    [{ ordered: false }, false],
    [{ style: 'ordered' }, true],
    [{ style: 'unordered' }, false],
    [{ list_type: 'number' }, true],
    [{ list_type: 'bullet' }, false],
    [{ type: 'ordered_list' }, true],
    [{ type: 'ul' }, false],
    [{ style: 'lower-alpha' }, true],
    [{ type: 'ol', style: 'wavy' }, true],
    [{}, false],
  ])('%j', (wire, ordered) => {
    expect(read({ ...wire, items: ['a'] }).lists).toEqual([list(ordered, item('a'))])
  })

  it('that is not known is said', () => {
    expect(read({ style: 'wavy', items: [] })).toEqual({ lists: [list(false)], warnings: ['list_order'] })
  })

  it.each([[3], ['3']])('may start elsewhere: %j', (start) => {
    expect(read({ ordered: true, start, items: [] }).lists).toEqual([{ ...list(true), start: 3 }])
  })

  it('may start elsewhere', () => {
    expect(read({ ordered: true, start: 5, items: [] }).lists).toEqual([{ ...list(true), start: 5 }])
  })
})

describe('the items of a list', () => {
  it.each([
    ['a string', 'a'],
    ['inline content', [{ type: 'text', text: 'a' }]],
    ['an object with text', { text: 'a' }],
    ['an object with content', { content: ['a'] }],
    ['an object with value', { type: 'list_item', value: 'a' }],
    ['a paragraph', { type: 'paragraph', content: ['a'] }],
    ['an object with a paragraph', { children: [{ type: 'paragraph', content: ['a'] }] }],
  ])('may be %s', (_name, written) => {
    expect(read({ items: [written] })).toEqual({ lists: [list(false, item('a'))], warnings: [] })
  })

  it.each([
    ['items', { text: 'a', items: ['b'] }],
    ['a list among the children', { text: 'a', children: [{ type: 'list', items: ['b'] }] }],
    ['bare children', { text: 'a', children: ['b'] }],
    ['a list in the content', { content: ['a', { type: 'list', items: ['b'] }] }],
    ['a list of its own', { text: 'a', list: { items: ['b'] } }],
    ['lists', { text: 'a', lists: [{ type: 'list', items: ['b'] }] }],
  ])('nest under %s', (_name, written) => {
    expect(read({ items: [written] })).toEqual({
      lists: [list(false, item('a', list(false, item('b'))))],
      warnings: [],
    })
  })

  it('nest in the order of the list around them, where they do not say', () => {
    expect(read({ ordered: true, items: [{ text: 'a', items: ['b'] }] }).lists).toEqual([
      list(true, item('a', list(true, item('b')))),
    ])
  })

  it('nest in another order, where they say so', () => {
    const nested = { type: 'list', ordered: false, items: ['b'] }
    expect(read({ ordered: true, items: [{ text: 'a', children: [nested] }] }).lists).toEqual([
      list(true, item('a', list(false, item('b')))),
    ])
  })

  it('keep several paragraphs as words apart', () => {
    const paragraphs = ['a', 'b'].map((content) => ({ type: 'paragraph', content }))
    expect(read({ items: [{ content: paragraphs }] }).lists).toEqual([
      list(false, { content: [text('a'), text(' '), text('b')], lists: [] }),
    ])
  })

  it('keep the text of a block they cannot hold, and say so', () => {
    expect(read({ items: [{ content: [{ type: 'code_block', value: 'x()' }] }] })).toEqual({
      lists: [list(false, item('x()'))],
      warnings: ['list_item_flattened'],
    })
  })

  it('keep text after a nested list, moved before it, and say so', () => {
    expect(read({ items: [{ content: ['a', { type: 'list', items: ['b'] }, 'c'] }] })).toEqual({
      lists: [list(false, { content: [text('a'), text(' '), text('c')], lists: [list(false, item('b'))] })],
      warnings: ['list_item_text_moved'],
    })
  })

  it('that are lists belong to the item before them', () => {
    expect(read({ items: ['a', { type: 'list', items: ['b'] }, 'c'] }).lists).toEqual([
      list(false, item('a', list(false, item('b'))), item('c')),
    ])
  })
})
