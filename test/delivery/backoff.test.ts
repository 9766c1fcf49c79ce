import { expect, test } from 'vitest'
import { deliveryBackoff } from '../../src/delivery/ledger/failure.ts'
import { soloTimeoutMs } from '../../src/delivery/site-worker/tasks.ts'
import { parseRetryAfter } from '../../src/errors.ts'
import { standardTiming } from '../../src/jobs/heartbeat.ts'

const HOUR = 60 * 60_000

test.each([
  ['less than a second', '0', 1_000],
  ['as long as it asks', '120', 120_000],
  ['an hour, though it asks for a day', '86400', HOUR],
  ['an hour, though it asks for a year', new Date(Date.now() + 365 * 24 * HOUR).toUTCString(), HOUR],
])('a site that says Retry-After is left alone for %s', (_, header, pause) => {
  expect(parseRetryAfter(header, Date.now())).toBe(pause)
})

test('the attempts of a delivery are further apart each time, up to an hour', () => {
  expect([1, 2, 3, 100].map((attempts) => deliveryBackoff(attempts, 10_000))).toEqual([
    10_000,
    30_000,
    90_000,
    HOUR,
  ])
})

test('one that is to be alone waits longer each time for the others, up to 16 minutes', () => {
  const minutes = [0, 1, 2, 3, 4, 5, 1_000].map((tries) => soloTimeoutMs(tries, standardTiming) / 60_000)
  expect(minutes).toEqual([1, 2, 4, 8, 16, 16, 16])
})
