import { expect, test } from 'vitest'
import { named } from '../../src/database/statement.ts'

test('each name is one parameter, however often it stands there', () => {
  expect(named('SELECT :b, :a WHERE x = :b', { a: 1, b: 2 })).toEqual({
    text: 'SELECT $1, $2 WHERE x = $1',
    values: [2, 1],
  })
})

test('casts, times and what is quoted with a colon are no parameters', () => {
  const text = `SELECT now()::text, 'pump:' || x, 'at: ', '12:30', ARRAY[a::int]`
  expect(named(text, {})).toEqual({ text, values: [] })
  expect(named('SELECT :ids::uuid[]', { ids: [] })).toEqual({ text: 'SELECT $1::uuid[]', values: [[]] })
})

test.each([
  ['a parameter without a value', 'SELECT :site', {}, ':site has no value'],
  ['a value without a parameter', 'SELECT 1', { site: 1 }, 'the statement has no :site'],
])('%s is refused before the database sees it', (_, text, values, complaint) => {
  expect(() => named(text, values)).toThrow(complaint)
})
