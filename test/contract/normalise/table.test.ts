import { describe, expect, it } from 'vitest'
import { startReading } from '../../../src/contract/normalise/reading.ts'
import { readTable } from '../../../src/contract/normalise/table.ts'

const cell = (value: string) => [{ type: 'text', text: value }]
const read = (wire: Record<string, unknown>) => readTable(wire, startReading())

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
})
