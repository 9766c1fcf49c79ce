import { expect, test } from 'vitest'
import { storableJson, storableText } from '../../src/database/statement.ts'

const HALF = '\ud83d'

test.each([
  ['as it is', { a: ['ü', { b: '😀', c: null }], d: 1 }, '{"a":["ü",{"b":"😀","c":null}],"d":1}'],
  ['without NUL', { a: 'x\0y' }, '{"a":"x\uFFFDy"}'],
  ['without half a pair', [`x${HALF}`, `${HALF}y`], '["x\uFFFD","\uFFFDy"]'],
  ['without either in a name', { 'a\0': { [HALF]: 1 } }, '{"a\uFFFD":{"\uFFFD":1}}'],
  ['with what only reads like it', { a: '\\u0000 \\ud83d' }, '{"a":"\\\\u0000 \\\\ud83d"}'],
])('a value is written %s', (_, value, json) => {
  expect(storableJson(value)).toBe(json)
})

test('a text is written without NUL and without half a pair', () => {
  expect(storableText(`a\0b${HALF}c😀`)).toBe('a\uFFFDb\uFFFDc😀')
})
