import { expect, test } from 'vitest'
import { read } from './repository.ts'

/** The rows of a page's tables, but for their heads. */
const rowsOf = (text: string): string[] =>
  text
    .split(/^\|(?: ?-+ ?\|)+$/m)
    .slice(1)
    .flatMap((table) => table.trim().split('\n\n')[0]?.split('\n') ?? [])

/** Its last cell is links to tests or fixtures, and nothing else. */
const isShown = (row: string): boolean =>
  /\| (?:\[[^\]]+\]\(\.\.\/test\/[^)]+\)(?:, )?)+ \|$/.test(row.trimEnd())

test('every fact of docs/wordpress.md names the test that shows it', () => {
  const facts = rowsOf(read('docs/wordpress.md'))
  expect(facts.length).toBeGreaterThan(30)
  expect(facts.filter((row) => !isShown(row))).toEqual([])
})

test('every choice of docs/contract.md where the contract is open names the test that shows it', () => {
  const [, open = ''] = read('docs/contract.md').split('## Where the original leaves it open')
  const choices = rowsOf(open.split(/^## /m)[0] ?? '')
  expect(choices.length).toBeGreaterThan(20)
  expect(choices.filter((row) => !isShown(row))).toEqual([])
})

test('a fact without a test is found', () => {
  const page =
    '| a | b |\n|---|---|\n| is so | [x.test.ts](../test/x.test.ts) |\n| is said | nowhere |\n\nText'
  expect(rowsOf(page).filter((row) => !isShown(row))).toEqual(['| is said | nowhere |'])
})
