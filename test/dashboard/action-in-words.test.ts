import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { actionInWords, kindInWords } from '../../dashboard/src/views/audit/words.ts'

/** What Galley enters into the audit log, as its sources name it. */
const entered = [
  ...new Set(
    readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.includes('generated'))
      .flatMap((path) => readFileSync(join('src', path), 'utf8').match(/\baction: '[a-z_]+\.[a-z_]+'/g) ?? [])
      .map((found) => found.slice("action: '".length, -1)),
  ),
]

it('finds what is entered', () => {
  expect(entered).toEqual(expect.arrayContaining(['site.connect', 'key.revoke', 'account.grant_credits']))
})

it.each(entered)('%s is said in words, and so is to what it was done', (action) => {
  expect(actionInWords(action)).toBeDefined()
  expect(kindInWords(action.split('.')[0] ?? '')).toBeDefined()
})

it('what a newer Galley enters is none of these', () => {
  expect(actionInWords('site.fly')).toBeUndefined()
})
