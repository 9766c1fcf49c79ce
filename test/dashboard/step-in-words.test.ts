import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setLocaleData } from '@wordpress/i18n'
import { describe, expect, it } from 'vitest'
import { detailInWords, stepInWords } from '../../dashboard/src/views/deliveries/step-in-words.ts'

/** What Galley writes into a timeline, as its sources say it. */
function written(): [step: string, outcome: string][] {
  const root = 'src/delivery'
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(root, path), 'utf8'))
  const ways = [
    /\.(?:record|defer)\(\s*'([a-z]+)',\s*'([a-z_ ]+)'/g,
    /SELECT id, '(plan|claim|orphans)', '([a-z_]+)'/g,
    /VALUES \(:id, '(orphans)', '([a-z_]+)'/g,
    /line: \{ step: '([a-z]+)', outcome: '([a-z_]+)'/g,
  ]
  return sources.flatMap((source) =>
    ways.flatMap((way) =>
      [...source.matchAll(way)].map(([, step, outcome]): [string, string] => [step ?? '', outcome ?? '']),
    ),
  )
}

const all = written()

it('finds what is written', () => {
  expect(all).toContainEqual(['reserve', 'created'])
  expect(all).toContainEqual(['media', 'looked up'])
  expect(all).toContainEqual(['plan', 'retried'])
  expect(all).toContainEqual(['orphans', 'given_up'])
  expect(all).toContainEqual(['deliver', 'delivered'])
})

describe.each(all)('%s %s', (step, outcome) => {
  it('has a sentence', () => {
    expect(stepInWords(step, outcome)?.what).toMatch(/\.$/)
  })
})

/** The steps at which an attempt may end, as their type says them. */
const [, steps = ''] =
  /^type Step = (.+)$/m.exec(readFileSync('src/delivery/ledger/failure.ts', 'utf8')) ?? []
it.each([...[...steps.matchAll(/\w+/g)].map(([step]) => step), 'store'])(
  'an attempt that ends at %s says while what',
  (step) => {
    for (const outcome of ['will_retry', 'failed'])
      expect(stepInWords(step, outcome)).toMatchObject({
        what: expect.any(String),
        while: expect.any(String),
      })
  },
)

it('what a newer Galley writes is none of these', () => {
  expect(stepInWords('fly', 'landed')).toBeUndefined()
})

it('beside it, a post and its status are in words, and what the site calls something stays', () => {
  expect(detailInWords('post 12')).toBe('Post 12')
  expect(detailInWords('post 12 is publish')).toBe('Post 12: Published')
  expect(detailInWords('post 12 is wc-on-hold')).toBe('Post 12: wc-on-hold')
  expect(detailInWords('1 category, 2 tags')).toBe('1 category, 2 tags')
  setLocaleData({ '%d tag': ['%d Schlagwort', '%d Schlagwörter'] }, 'galley')
  expect(detailInWords('0 categories, 2 tags')).toBe('0 categories, 2 Schlagwörter')
  expect(detailInWords('post 12 says this already')).toBe('post 12 says this already')
  expect(detailInWords('post_changed: Somebody edited it.')).toBe('Somebody edited it.')
  expect(detailInWords('event 01a2223e-6eda-7656-b88c-7591f6d56043')).toBeUndefined()
})
