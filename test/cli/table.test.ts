import { expect, test } from 'vitest'
import { displayWidth, factList, table, truncateToWidth } from '../../src/cli/output.ts'

const rows = [
  { id: 'aaaa-bbbb', title: 'Why the tide comes twice a day, and once in some places' },
  { id: 'cccc-dddd', title: '潮汐' },
]
const shape = [
  { head: 'ID', value: ({ id }: (typeof rows)[0]) => id, whole: true },
  { head: 'TITLE', value: ({ title }: (typeof rows)[0]) => title },
  { head: 'STATUS', value: () => 'held', whole: true },
]

test('a table is as wide as what is in it, where nothing limits it', () => {
  expect(table(rows, shape, undefined)).toBe(
    `ID         TITLE                                                    STATUS
aaaa-bbbb  Why the tide comes twice a day, and once in some places  held
cccc-dddd  潮汐${' '.repeat(51)}  held
`,
  )
})

test('a table is cut to the terminal, and an id never is', () => {
  const lines = table(rows, shape, 40).trimEnd().split('\n')
  expect(lines.map(displayWidth)).toEqual([40, 38, 38])
  expect(lines[1]).toBe('aaaa-bbbb  Why the tide comes t…  held')
})

test('a terminal that is too narrow for anything gets the least there is', () => {
  expect(table(rows, shape, 5).split('\n')[1]).toBe('aaaa-bbbb  Why t…  held')
})

test('a table of nothing is its head', () => {
  expect(table([], shape, 80)).toBe('ID  TITLE  STATUS\n')
})

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['潮汐表', 5, '潮汐…'],
  ['👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 4, '👩‍👩‍👧…'],
  ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
])('%s within %i places is %s', (text, places, fitting) => {
  expect(truncateToWidth(text, places)).toBe(fitting)
  expect(displayWidth(fitting)).toBeLessThanOrEqual(places)
})

test('facts leave out what is not there', () => {
  expect(
    factList([
      ['id', 'x'],
      ['trouble', null],
      ['labels', ''],
      ['attempts', 0],
    ]),
  ).toBe('id        x\nattempts  0\n')
})
