import { describe, expect, it } from 'vitest'
import { plainText } from '../../../src/contract/normalise/plain-text.ts'
import { createReading } from '../../../src/contract/normalise/reading.ts'
import { readTable } from '../../../src/contract/normalise/table.ts'

const cell = (value: string) => [{ type: 'text', text: value }]
const read = (wire: Record<string, unknown>) => readTable(wire, createReading())

describe('the rows of a table', () => {
  it.each([
    ['arrays of strings', ['a', 'b']],
    ['arrays of inline content', [[{ type: 'text', text: 'a' }], { text: 'b' }]],
    ['objects with cells', { cells: ['a', { content: 'b' }] }],
    ['objects keyed by header', { B: 'b', A: 'a' }],
  ])('may be %s', (_name, row) => {
    expect(read({ headers: ['A', 'B'], rows: [row] })).toEqual([
      { type: 'table', headers: [cell('A'), cell('B')], rows: [[cell('a'), cell('b')]] },
    ])
  })

  it('keep a member that no header names', () => {
    expect(read({ headers: ['A'], rows: [{ A: 'a', more: 'b' }] })[0]?.rows).toEqual([[cell('a'), cell('b')]])
  })

  it('may hold numbers', () => {
    expect(read({ headers: [], rows: [[1, 2.5]] })[0]?.rows).toEqual([[cell('1'), cell('2.5')]])
  })

  it('come with a caption', () => {
    expect(read({ headers: [], rows: [], caption: 'c' })[0]?.caption).toEqual(cell('c'))
  })

  it('may hold true and false', () => {
    expect(read({ headers: [], rows: [[true, false, null]] })[0]?.rows).toEqual([
      [cell('true'), cell('false'), []],
    ])
  })
})

describe('rows keyed by header', () => {
  const words = (wire: Record<string, unknown>) =>
    read(wire).map(({ headers, rows }) =>
      [headers, ...rows].map((row) => row.map((inlines) => plainText(inlines))),
    )[0]

  it.each([
    [
      'that is inline content',
      [[{ type: 'text', text: 'Port' }], { text: 'Range' }],
      { Range: 'b', Port: 'a' },
    ],
    ['in another case', ['Port', 'Range'], { range: 'b', port: 'a' }],
    [
      'that has a name',
      [
        { key: 'p', text: 'Port' },
        { key: 'r', text: 'Range' },
      ],
      { r: 'b', p: 'a' },
    ],
    ['whose names are an object', { p: 'Port', r: 'Range' }, { r: 'b', p: 'a' }],
  ])('%s', (_name, headers, row) => {
    expect(words({ headers, rows: [row] })).toEqual([
      ['Port', 'Range'],
      ['a', 'b'],
    ])
  })

  it.each(['value', 'values', 'cells', 'type'])('may have one that is called %s', (name) => {
    expect(words({ headers: ['name', name], rows: [{ name: 'a', [name]: ['b'] }] })).toEqual([
      ['name', name],
      ['a', 'b'],
    ])
  })

  it.each([
    ['called as rows are marked', ['Type', 'Port'], { type: 'a', port: 'b' }],
    ['called as cells are', ['Values', 'Port'], { values: 'a', port: 'b' }],
    ['called as what is not read', ['Value', 'Language'], { value: 'a', language: 'b' }],
    ['with one called as a text is', { text: 'Text', port: 'Port' }, { text: 'a', port: 'b' }],
    ['with one called as a mark is', { type: 'Type', text: 'Text' }, { type: 'a', text: 'b' }],
    ['that has no words but a name', [{ key: 'type' }, { id: 'port' }], { type: 'a', port: 'b' }],
    ['that is missing', undefined, { type: 'a', port: 'b' }],
    ['of keys and values', undefined, { key: 'a', value: 'b' }],
    ['that is missing, with one called as cells are', undefined, { values: 'a', port: 'b' }],
  ])('%s', (_name, headers, row) => {
    expect(words({ headers, rows: [row] })?.[1]).toEqual(['a', 'b'])
    expect(words({ headers, rows: [row] })?.[0]?.join('').length).toBeGreaterThan(7)
  })

  it('are not marked by what a column is called', () => {
    expect(words({ headers: ['Type', 'Port'], rows: [{ type: 'row', cells: ['a', 'b'] }] })).toEqual([
      ['Type', 'Port'],
      ['a', 'b'],
    ])
  })

  it('are not taken for cells, where they have other members', () => {
    expect(
      words({
        headers: ['A'],
        rows: [
          { A: 'a', text: ['b'] },
          { cells: [], A: 'c' },
        ],
      }),
    ).toEqual([['A'], ['a', 'b'], ['c', '']])
  })

  it('stand in one column for each name', () => {
    expect(words({ headers: ['A'], rows: [{ A: 'a', x: 'b' }, { A: 'c', y: 'd' }, { x: 'e' }] })).toEqual([
      ['A'],
      ['a', 'b', ''],
      ['c', '', 'd'],
      ['', 'e', ''],
    ])
  })

  it('are a header by themselves, where there is none', () => {
    expect(words({ rows: [{ A: 'a', B: 'b' }, { B: 'c' }] })).toEqual([
      ['A', 'B'],
      ['a', 'b'],
      ['', 'c'],
    ])
  })
})

describe('the header of a table', () => {
  it.each([
    ['an array', ['A', 'B']],
    ['a row of a body', [['A', 'B']]],
    ['a row with cells', [{ cells: ['A', { content: 'B' }] }]],
    ['cells', { cells: ['A', 'B'] }],
  ])('may be %s', (_name, head) => {
    expect(read({ head, body: [['a', 'b']] })).toEqual([
      { type: 'table', headers: [cell('A'), cell('B')], rows: [[cell('a'), cell('b')]] },
    ])
  })

  it('may be cells with formats', () => {
    expect(read({ headers: [[{ type: 'text', text: 'A' }, 'B']], rows: [['a']] })[0]?.headers).toHaveLength(1)
  })
})
