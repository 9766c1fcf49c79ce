import { expect, it } from 'vitest'
import { firstOf } from '../../dashboard/src/components/table/first-rows.ts'

// Of a page of other rows those that a window shows are drawn first.

const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: String(from + at) }))

it('a page of other rows begins with as many as a window shows', () => {
  expect(firstOf(rows(0, 25))).toEqual(rows(0, 12))
  expect(firstOf(rows(100, 25), rows(0, 25))).toEqual(rows(100, 12))
})

it('one that has a few rows of the page before begins so too, and loses none of them', () => {
  const page = [...rows(100, 24), { id: '3' }]
  expect(firstOf(page, rows(0, 25))).toEqual([...rows(100, 12), { id: '3' }])
})

it('a page with few other rows is drawn at once', () => {
  const page = [...rows(100, 5), ...rows(0, 20)]
  expect(firstOf(page, rows(0, 25))).toEqual(page)
})
