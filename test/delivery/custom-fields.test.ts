import { expect, test } from 'vitest'
import { misfit } from '../../src/delivery/steps/resolve-fields.ts'
import { hostileLeaves } from '../support/hostile-json.ts'

test.each([
  [{ type: 'integer' }, '3', undefined],
  [{ type: 'integer' }, 1.5, 'is of the type integer'],
  [{ type: ['boolean', 'null'] }, 'true', undefined],
  [{ type: 'boolean' }, { toString: null }, 'is of the type boolean'],
  [{ enum: [1, 'two'] }, '1', undefined],
  [{ enum: [1, 'two'] }, { toString: null }, 'is one of 1, "two"'],
  [{ type: 'array', items: { type: 'string' } }, ['a', 1], 'has entries of which each is of the type string'],
  [{ type: 'constructor' }, 1, undefined],
  [{ type: '__proto__' }, 1, undefined],
])('of a field of %j, %j: %s', (schema, value, wrong) => expect(misfit(schema, value)).toBe(wrong))

test('of very many choices the first are named', () => {
  const choices = Array(500).fill('a long choice '.repeat(50))
  expect(misfit({ enum: choices }, 'x')).toMatch(/^is one of "a long.{100,3000}, …$/)
})

test('any schema of a site says of any value whether it fits', () => {
  for (const leaf of hostileLeaves)
    for (const schema of [leaf, { type: leaf }, { enum: leaf }, { enum: [leaf] }, { items: leaf }])
      for (const value of hostileLeaves)
        expect(['string', 'undefined']).toContain(typeof misfit(schema, value))
})
