import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { monotonicNow } from '../src/lib/monotonic-clock.ts'
import { setClock } from './support/clock.ts'

const HOUR_MS = 3_600_000

beforeAll(() => void monotonicNow())
afterEach(() => vi.restoreAllMocks())

test('a clock that is put back takes nothing away', () => {
  const before = monotonicNow()
  setClock(-HOUR_MS)
  const after = monotonicNow()
  expect(after).toBeGreaterThanOrEqual(before)
  expect(after - before).toBeLessThan(HOUR_MS / 2)
})

test('a machine that slept has let time pass, once', () => {
  const before = monotonicNow()
  setClock(HOUR_MS)
  const after = monotonicNow() - before
  expect(after).toBeGreaterThan(0.99 * HOUR_MS)
  expect(monotonicNow() - before).toBeLessThan(1.5 * HOUR_MS)
})

test('what passes after a clock was put back counts, sleep included', () => {
  setClock(-3 * HOUR_MS)
  const before = monotonicNow()
  setClock(-2 * HOUR_MS)
  expect(monotonicNow() - before).toBeGreaterThan(0.99 * HOUR_MS)
})
