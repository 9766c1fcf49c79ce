import { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { longestPauseMs, pauseEnd } from '../../src/database/pause.ts'
import { named } from '../../src/database/statement.ts'
import { standardTiming } from '../../src/jobs/heartbeat.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

let database: FreshDatabase
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 1 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

/** Milliseconds of the pause after so many failures in a row, in an outage of this age. */
async function pauseMs(failures: number, ageMs: number): Promise<number> {
  const since = "now() - :ageMs::float8 * interval '1 millisecond'"
  const end = pauseEnd(':failures::int', longestPauseMs(`(${since})`))
  const { rows } = await pool.query<{ ms: number }>(
    named(`SELECT extract(epoch FROM ${end} - now())::float8 * 1000 AS ms`, {
      failures,
      ageMs,
      firstMs: standardTiming.firstPauseMs,
      requestedMs: null,
    }),
  )
  return rows[0]?.ms ?? 0
}

it('a site that stays down is asked after 5, 10, 20 and then 30 s for ten minutes, and at most 40 times in an hour', async () => {
  const asked: { ageMs: number; nextS: number }[] = []
  for (let ageMs = 0; ageMs < 3_600_000; ) {
    const ms = await pauseMs(asked.length, ageMs)
    // A pause is up to a tenth longer than it says.
    asked.push({ ageMs, nextS: Math.floor(ms / 5_000) * 5 })
    ageMs += ms / 1.1
  }
  expect(asked.length).toBeLessThanOrEqual(40)
  const [first, second, third, ...others] = asked.filter(({ ageMs }) => ageMs < 600_000)
  expect([first, second, third].map((each) => each?.nextS)).toEqual([5, 10, 20])
  expect(new Set(others.map(({ nextS }) => nextS))).toEqual(new Set([30]))
})
