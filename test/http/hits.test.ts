import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { MemoryRateLimitStore } from '../../src/http/rate-limits.ts'
import { setClock } from '../support/clock.ts'

const WINDOW_MS = 300
const HOUR_MS = 3_600_000

afterEach(() => vi.restoreAllMocks())

const hits = (store: MemoryRateLimitStore, key = 'a client') => store.increment(key).totalHits

test('each client has its own window, which ends', async () => {
  const store = new MemoryRateLimitStore(WINDOW_MS)
  expect([hits(store), hits(store), hits(store, 'another')]).toEqual([1, 2, 1])
  await wait(WINDOW_MS + 50)
  expect([hits(store), hits(store, 'another')]).toEqual([1, 1])
})

test.each([
  ['back', -3 * HOUR_MS],
  ['forward', 3 * HOUR_MS],
])('a clock that is put %s makes no window longer or shorter', async (_, ms) => {
  const store = new MemoryRateLimitStore(WINDOW_MS)
  hits(store)
  setClock(ms)
  const { totalHits, resetTime } = store.increment('a client')
  expect(totalHits).toBe(2)
  expect(Math.abs((resetTime as Date).getTime() - Date.now())).toBeLessThanOrEqual(WINDOW_MS)
  for (let asked = 0; asked < 4; asked += 1) {
    await wait(WINDOW_MS / 3)
    hits(store)
  }
  expect(hits(store)).toBeLessThan(6)
})
