import { expect, it } from 'vitest'
import { errorFromResponse, errorInsideSuccess } from '../../../src/generation/providers/provider-errors.ts'
import { countNodes, hostileLeaves, withNode } from '../../support/hostile-json.ts'
import { searchAt } from './search-at.ts'

const access = {
  name: 'text',
  model: 'a-model',
  key: undefined,
  settings: { key: 'KEY', model: 'MODEL', url: 'URL' },
} as unknown as Parameters<typeof errorFromResponse>[0]

/** A value with each of its nodes once as each of the hostile ones. */
const everyChange = (value: unknown): string[] =>
  Array.from({ length: countNodes(value) }, (_, at) => at).flatMap((at) =>
    hostileLeaves.map((leaf) => JSON.stringify(withNode(value, at, () => leaf))),
  )

const failure = {
  error: {
    message: 'Too many requests',
    code: 'rate_limit',
    type: 'x',
    details: [{ retryDelay: '3s' }],
    loc: ['body', 'model'],
    innererror: { code: 'y' },
  },
  choices: [{ error: { message: 'z', status: 429 } }],
  base_resp: { status_code: 1004, status_msg: 'w' },
}

it('any failure of a provider is told', () => {
  for (const body of everyChange(failure)) {
    expect(errorFromResponse(access, { status: 429, headers: {}, body }).message, body).toContain('429')
    expect(errorInsideSuccess(access, body)?.message ?? '', body).not.toContain('[object')
  }
})

it('of any answer to a search, what is a page is read', () => {
  const page = { url: 'https://trees.example/a', title: 'Trees', published_date: '2026-05-01' }
  const { read } = searchAt('tavily', new URL('http://127.0.0.1:1'))
  const bodies = everyChange({ results: [page, page] }).filter((body) => body.includes('"results":['))
  for (const body of bodies) {
    const hits = read({ provider: 'tavily', model: '', body })
    expect(
      hits.filter(({ url }) => !url.startsWith('https://trees.example/')),
      body,
    ).toEqual([])
  }
})
