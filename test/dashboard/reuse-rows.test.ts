import { expect, it } from 'vitest'
import { reuseRows } from '../../dashboard/src/components/table/reuse-rows.ts'

// DataViews hands out copies of all rows with every filter: what is a copy alone is not drawn anew.

const site = { name: 'Tides weekly' }
const row = (id: string, status = 'held') => ({ id, status, site })

it('rows that say the same are the very ones that were there', () => {
  const before = [row('1'), row('2')]
  expect(reuseRows(before, [row('1'), row('2')])).toBe(before)
})

it('their places do not make them others', () => {
  const before = [{ ...row('1'), position: 1 }]
  expect(reuseRows(before, [{ ...row('1'), position: 2 }])).toBe(before)
})

it('a row that says something else is taken, and the ones around it are kept', () => {
  const before = [row('1'), row('2'), row('3')]
  const next = [row('1'), row('2', 'delivered'), row('3')]
  const kept = reuseRows(before, next)
  expect(kept).toEqual(next)
  expect(kept.map((one, at) => one === before[at])).toEqual([true, false, true])
})

it('fewer rows, more rows and another order are other rows', () => {
  const before = [row('1'), row('2')]
  expect(reuseRows(before, [row('1')])).toEqual([row('1')])
  expect(reuseRows(before, [row('1'), row('2'), row('3')])).toHaveLength(3)
  expect(reuseRows(before, [row('2'), row('1')])[0]).toBe(before[1])
})

it('a member that has gone makes a row another one', () => {
  const before = [{ ...row('1'), error: 'refused' }]
  const [kept] = reuseRows<{ id: string }>(before, [row('1')])
  expect(kept).not.toHaveProperty('error')
})
