import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { Heartbeat, standardTiming } from '../../src/jobs/heartbeat.ts'
import type { Sweep } from '../../src/jobs/job.ts'
import { RunningJobs, startSweeper } from '../../src/jobs/sweep.ts'
import { setClock } from '../support/clock.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

const HOUR_MS = 3_600_000
const DEAD_AFTER_S = 0.4

let database: FreshDatabase
let pool: Pool
let heartbeat: Heartbeat

beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
})
beforeEach(async () => {
  // It beats by hand.
  const timing = { ...standardTiming, beatMs: 10 * HOUR_MS, deadAfterS: DEAD_AFTER_S }
  heartbeat = await Heartbeat.start(pool, 'a test', timing, pino({ level: 'silent' }))
})
afterEach(() => {
  heartbeat.stop()
  vi.restoreAllMocks()
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

async function beatOn(): Promise<void> {
  for (let beats = 0; beats < 8; beats += 1) {
    await wait((DEAD_AFTER_S * 1000) / 4)
    await heartbeat.beat()
  }
}

test('a process whose clock was put back calls the dead dead as soon as any other', async () => {
  setClock(-3 * HOUR_MS)
  await beatOn()
  expect(heartbeat.steady).toBe(true)
})

test('a process whose clock was put back and that beats no more knows that it is late', async () => {
  setClock(-3 * HOUR_MS)
  await wait(DEAD_AFTER_S * 1500)
  expect(heartbeat.late).toBe(true)
})

test('a process that slept is late, and calls nobody dead before it was heard for a while', async () => {
  await beatOn()
  setClock(HOUR_MS)
  expect(heartbeat.late).toBe(true)
  await heartbeat.beat()
  expect([heartbeat.late, heartbeat.steady]).toEqual([false, false])
})

function sweepOn(sweeps: readonly Sweep[]): void {
  const timing = { ...standardTiming, sweepMs: 10, deadAfterS: DEAD_AFTER_S }
  const log = pino({ level: 'silent' })
  onTestFinished(startSweeper({ pool, heartbeat, running: new RunningJobs(), timing, log, sweeps }))
}

test('a step of the sweep that fails keeps no other from its turn, of its room or of the next', async () => {
  const done = new Set<string>()
  const step = (name: string) => async () => done.add(name)
  const fails = () => pool.query('SELECT 1 / 0')
  sweepOn([
    { afterDeaths: fails, rarely: [fails, step('rarely')], always: [fails, step('always')] },
    { afterDeaths: step('of the dead'), rarely: [step('rarely, next')], always: [step('always, next')] },
  ])
  await expect
    .poll(() => [...done].sort())
    .toEqual([...['always', 'always, next', 'of the dead', 'rarely', 'rarely, next']])
})

test('a step that waited in vain lets nobody be called dead before this process was heard for a while', async () => {
  let waits = 0
  const steady: boolean[] = []
  sweepOn([
    {
      async afterDeaths() {
        waits += 1
        if (waits > 1) return
        setClock(HOUR_MS)
        throw new Error('Query read timeout')
      },
    },
    { afterDeaths: async () => steady.push(heartbeat.steady) },
  ])
  await expect.poll(() => steady.length).toBeGreaterThan(0)
  expect(steady).not.toContain(false)
})
