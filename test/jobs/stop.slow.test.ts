import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startSimulated } from '../faults/stage/simulated.ts'
import { logInMemory } from '../observe/stage.ts'

test('a process that stops with a delivery under way gives it back, and logs no error', async () => {
  const { log, logged } = logInMemory()
  const stage = await startSimulated({
    log,
    timing: { stopMs: 1_000, exchangeMs: { read: 60_000, write: 60_000, upload: 60_000 } },
  })
  onTestFinished(() => stage.close())
  const { id: siteId, proxy } = stage.sites[0] as (typeof stage.sites)[number]
  proxy.rule({}, { name: 'hangs', apply: () => undefined })
  await stage.send(siteId)
  await expect.poll(() => proxy.requests.length).toBeGreaterThan(0)
  await stage.galley.stop()
  // What went on beyond the end would be logged by then.
  await wait(3_000)
  const lines = logged.map((line) => JSON.parse(line))
  expect(lines.map(({ msg }) => msg)).toContain(
    'deliveries under way are given back: they did not end in time',
  )
  expect(lines.filter(({ level }) => level >= 50)).toEqual([])
  const { rows } = await stage.pool.query('SELECT status, leased_by, attempts FROM delivery')
  expect(rows).toEqual([{ status: 'queued', leased_by: null, attempts: 0 }])
})
