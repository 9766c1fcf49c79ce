import { expect, test } from 'vitest'
import { firstSegment, loadAllEndpoints, loadEndpoints, routedWords } from '../../src/http/endpoints.ts'
import type { Services } from '../../src/http/services.ts'

/** Only described here, and never called. */
const services = { database: {}, config: {}, budget: {} } as Services

test('each call is loaded with the first word of its path', async () => {
  const byWord = await Promise.all([...routedWords].map((word) => loadEndpoints(word, services)))
  const names = (calls: { operationId: string }[]) => calls.map(({ operationId }) => operationId).sort()
  expect(names(byWord.flat())).toEqual(names(await loadAllEndpoints(services)))
})

test.each([
  ['/v1/sites', 'sites'],
  ['/v1/sites/check', 'sites'],
  ['/v1/connect-links/1', 'connect-links'],
  ['/v1', undefined],
  ['/v1/', undefined],
  ['/V1/sites', undefined],
  ['//v1/sites', undefined],
  ['/v1/%73ites', undefined],
])('the word of %s is %s', (path, word) => {
  expect(firstSegment(path)).toBe(word)
})
