import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordAbandonedIntents } from '../../src/accounts/audit.ts'
import { type Cluster, startCluster } from '../faults/stage/cluster.ts'
import { quickTiming } from '../faults/stage/timing.ts'

let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster(['web'], quickTiming)
})
afterAll(() => cluster.stop())

const count = async (statement: string) => (await cluster.pool.query(statement)).rowCount

test('what a process had done and not entered when it was killed is in the audit log, and says so', async () => {
  // Its entry waits for this: the change is stored, and nothing tells of it.
  const holder = new Client({ connectionString: cluster.connectionString })
  await holder.connect()
  await holder.query('BEGIN')
  await holder.query('LOCK TABLE audit_entry IN EXCLUSIVE MODE')
  const asked = cluster.call('POST', '/v1/sources', { name: 'made by the killed' }).catch(() => undefined)
  const made = () => count(`SELECT FROM source WHERE name = 'made by the killed'`)
  await expect.poll(made).toBe(1)
  const [child] = cluster.children
  child?.kill('SIGKILL')
  await Promise.all([child?.exited, asked])
  // Its connections do not notice, and would enter it when they may.
  const waiting = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'galley'`
  await cluster.pool.query(waiting)
  await expect.poll(() => count(waiting)).toBe(0)
  await holder.query('ROLLBACK')
  await holder.end()

  expect(await count(`SELECT FROM audit_entry WHERE details ->> 'name' = 'made by the killed'`)).toBe(0)
  expect(
    await recordAbandonedIntents(cluster.pool, new Date(Date.now() - 3_600_000)),
    'perhaps under way',
  ).toBe(0)
  expect(await recordAbandonedIntents(cluster.pool, new Date(Date.now() + 60_000))).toBe(1)
  const told = {
    name: 'made by the killed',
    unfinished: expect.stringContaining('Nobody knows whether this was done'),
  }
  const { rows } = await cluster.pool.query(
    `SELECT action, actor, details FROM audit_entry WHERE details ? 'unfinished'`,
  )
  expect(rows).toEqual([{ action: 'source.create', actor: 'GALLEY_ADMIN_KEY', details: told }])
  expect(await recordAbandonedIntents(cluster.pool, new Date(Date.now() + 60_000)), 'once').toBe(0)
})
