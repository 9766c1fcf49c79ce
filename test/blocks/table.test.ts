import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { LIMITS } from '../../src/contract/limits.ts'
import { documentDataSchema } from '../../src/contract/webhook.ts'
import { type RenderOptions, renderSettingsSchema } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'
import { samples, seed } from '../support/random.ts'

const read = (table: object) =>
  normaliseDocument(
    documentDataSchema.parse({ title: 'T', content: { content: [{ type: 'table', ...table }] } }),
  )

const rendered = (table: object, wordpressVersion: string, format: RenderOptions['format'] = 'block') =>
  renderDocument(read(table).document, {
    format,
    wordpressVersion,
    media: new Map(),
    settings: renderSettingsSchema.parse({}),
  })

const rowsIn = (markup: string): string =>
  markup.slice(markup.indexOf('<table>') + 7, markup.indexOf('</table>'))

const spanned = {
  headers: ['a', 'b'],
  rows: [[{ content: 'tall', rowSpan: '2' }, 'x'], ['y'], [{ content: 'wide', colspan: 2 }]],
}

describe('a head', () => {
  it.each(['headers', 'header', 'has_header', 'header_row', 'withHeadings'])(
    'is the first row where %s says no more',
    (name) => {
      const { markup } = rendered({ [name]: true, rows: [['Port'], ['Kiel']], footer: true }, '7.1')
      expect(rowsIn(markup)).toBe(
        '<thead><tr><th>Port</th></tr></thead><tbody><tr><td>Kiel</td></tr></tbody>',
      )
    },
  )

  it('is no word of its own where the rows name their cells', () => {
    const { markup } = rendered({ header: true, rows: [{ Port: 'Kiel' }] }, '7.1')
    expect(rowsIn(markup)).toBe('<thead><tr><th>Port</th></tr></thead><tbody><tr><td>Kiel</td></tr></tbody>')
  })
})

it('words of a table that stand nowhere where they are read are said to be so, and not of an unknown block', () => {
  expect(read({ csv: 'a,b' }).warnings.map(({ message }) => message)).toEqual([
    'Block 1 (table): a block of type "table" has no words where they are read; what it says is kept: “a,b”',
  ])
})

describe('cells that span', () => {
  it('keep their spans where the editor knows them', () => {
    expect(rowsIn(rendered(spanned, '6.2').markup)).toBe(
      '<thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td rowspan="2">tall</td><td>x</td></tr>' +
        '<tr><td>y</td></tr><tr><td colspan="2">wide</td></tr></tbody>',
    )
  })

  it('stand beside empty cells before 6.2, with a warning', () => {
    const { markup, warnings } = rendered(spanned, '6.1')
    expect(rowsIn(markup)).toBe(
      '<thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>tall</td><td>x</td></tr>' +
        '<tr><td></td><td>y</td></tr><tr><td>wide</td><td></td></tr></tbody>',
    )
    expect(warnings.map(({ code }) => code)).toEqual(['format_changed'])
    expect(rendered(spanned, '6.1', 'classic').warnings).toEqual([])
  })

  it.each([1e9, '1e9', -3, 0, 1.5, 'all', null, [2], { n: 2 }, true])('are bounded: %j', (span) => {
    const rows = [
      ['1', '2'],
      [{ content: 'w', colspan: span, rowspan: span }, 'x', 'y'],
    ]
    const [colspan] = /(?<=colspan=")\d+/.exec(rendered({ headers: [], rows }, '7.1').markup) ?? ['1']
    expect(Number(colspan)).toBe(Number(span) > 1_000 ? 1_000 : 1)
    expect(read({ headers: [], rows }).size.cells).toBeLessThan(2_000 * 4)
  })

  it('count with what they cover', () => {
    const row = Array.from({ length: 200 }, () => ({ content: 'x', colspan: 3 }))
    expect(read({ headers: [], rows: [row] }).size.cells).toBe(598)
    const rows = Array.from({ length: 100 }, () => row)
    expect(() => read({ headers: [], rows })).toThrow(/at most 50,000 cells/)
  })
})

it('as many cells as a table may have are read and shown, with its header and footer', () => {
  const full = { headers: ['a'], rows: Array(LIMITS.cells - 2).fill(['1']), footer: ['b'] }
  expect(rowsIn(rendered(full, '7.1').markup).match(/<tr>/g)).toHaveLength(LIMITS.cells)
  expect(() => read({ ...full, rows: [...full.rows, ['1']] })).toThrow(/at most 50,000 cells/)
})

const anyCell = fc.oneof(
  fc.constant('x'),
  fc.record(
    {
      content: fc.constant('x'),
      colspan: fc.integer({ min: -1, max: 6 }),
      rowspan: fc.integer({ min: 0, max: 6 }),
    },
    { requiredKeys: [] },
  ),
)
const anyRow = fc.oneof(
  fc.array(anyCell, { maxLength: 5 }),
  fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), anyCell),
)

it.each(['6.1', '7.1'])('with any spans, no more cells are shown in %s than were counted', (version) => {
  const tables = fc.record(
    { headers: anyRow, rows: fc.array(anyRow, { maxLength: 6 }), footer: anyRow },
    { requiredKeys: ['rows'] },
  )
  fc.assert(
    fc.property(tables, (table) => {
      const shown = rendered(table, version).markup.match(/<t[dh][ >]/g) ?? []
      expect(shown.length).toBeLessThanOrEqual(read(table).size.cells)
    }),
    { seed, numRuns: samples(2_000) },
  )
})

it('columns are aligned by a list, and a cell by itself', () => {
  const table = {
    headers: ['a', 'b'],
    rows: [['1', { content: '2', align: 'center' }]],
    align: [null, 'right'],
  }
  expect(rowsIn(rendered(table, '7.1', 'classic').markup)).toBe(
    '<thead><tr><th>a</th><th style="text-align: right;">b</th></tr></thead>' +
      '<tbody><tr><td>1</td><td style="text-align: center;">2</td></tr></tbody>',
  )
})

it('a cell may head its row', () => {
  const table = { headers: [], rows: [[{ content: 'Kiel', header: true }, { type: 'th', text: 'x' }, '2']] }
  expect(rowsIn(rendered(table, '7.1').markup)).toBe(
    '<tbody><tr><th>Kiel</th><th>x</th><td>2</td></tr></tbody>',
  )
})
