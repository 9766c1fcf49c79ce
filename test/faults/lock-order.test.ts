import { afterAll, beforeAll, expect, test } from 'vitest'
import { retryDelivery, retryMany } from '../../src/delivery/api/actions.ts'
import { holdForOwner, resumeSite } from '../../src/delivery/ledger/outage.ts'
import { type SimulatedStage, startSimulated } from './stage/simulated.ts'

let stage: SimulatedStage

beforeAll(async () => {
  // A process that only serves: nothing but this test moves the rows.
  stage = await startSimulated({ sites: 2, config: { role: 'web' } })
})
afterAll(() => stage.close())

const TROUBLE = '{"code": "password_wrong", "message": "No."}'

async function deliveries(siteId: string, count: number) {
  const documents = []
  for (let n = 0; n < count; n += 1) documents.push(await stage.send(siteId))
  const { rows } = await stage.pool.query(
    'SELECT id, account_id FROM delivery WHERE document_id = ANY ($1)',
    [documents],
  )
  return rows as { id: string; account_id: string }[]
}

test('retries, a resumption and holding for the owner of one site never wait for each other in a circle', async () => {
  const [{ id: siteId } = { id: '' }] = stage.sites
  const rows = await deliveries(siteId, 12)
  const accountId = rows[0]?.account_id as string
  const site = { accountId, id: siteId }
  const failures: unknown[] = []
  const { pool } = stage
  const together = (some: { id: string }[]) =>
    retryMany(pool, { accountId, siteIds: null, ids: some.map(({ id }) => id), overwrite: false })
  for (let round = 0; round < 60; round += 1) {
    await pool.query('UPDATE site SET trouble = $2, paused_until = NULL WHERE id = $1', [siteId, TROUBLE])
    await pool.query(`UPDATE delivery SET status = 'held', due_at = NULL, error = $2 WHERE site_id = $1`, [
      siteId,
      TROUBLE,
    ])
    const work = [
      ...rows.map(({ id }) => retryDelivery(pool, { accountId, siteIds: null, id })),
      together(rows),
      together(rows.toReversed()),
      resumeSite(pool, site),
      holdForOwner(pool, site),
      resumeSite(pool, site),
    ]
    const ends = await Promise.allSettled(work)
    for (const end of ends) if (end.status === 'rejected') failures.push(end.reason)
  }
  expect(failures).toEqual([])
})

test('a delivery that gets a post while it is being moved stays where its post is', async () => {
  const [{ id: from } = { id: '' }, { id: to } = { id: '' }] = stage.sites
  const [row] = await deliveries(from, 1)
  if (row === undefined) throw new Error('there is one')
  const { id, account_id: accountId } = row
  const other = await stage.pool.connect()
  await other.query('BEGIN')
  await other.query(`UPDATE delivery SET post_id = 7, answered = '{}', status = 'held' WHERE id = $1`, [id])
  const moving = retryDelivery(stage.pool, {
    accountId,
    siteIds: null,
    id,
    siteId: to,
    overwrite: true,
  }).then(
    () => 'moved',
    ({ code }) => code,
  )
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  const waits = async () => (await other.query(waiting)).rowCount
  await expect.poll(waits).toBeGreaterThan(0)
  await other.query('COMMIT')
  other.release()
  expect(await moving).toBe('DELIVERY_HAS_POST')
  const { rows } = await stage.pool.query('SELECT site_id, post_id, answered FROM delivery WHERE id = $1', [
    id,
  ])
  expect(rows).toEqual([{ site_id: from, post_id: 7, answered: {} }])
})

test('the leave to write over a post is for that post on that site', async () => {
  const [{ id: siteId } = { id: '' }] = stage.sites
  const [row] = await deliveries(siteId, 1)
  if (row === undefined) throw new Error('there is one')
  await stage.pool.query(
    `UPDATE delivery SET post_id = 9, answered = '{"title": "T"}', status = 'held' WHERE id = $1`,
    [row.id],
  )
  await retryDelivery(stage.pool, { accountId: row.account_id, siteIds: null, id: row.id, overwrite: true })
  const { rows } = await stage.pool.query('SELECT answered FROM delivery WHERE id = $1', [row.id])
  expect(rows[0].answered).toEqual({ title: 'T', overwrite: { siteId, postId: 9, statusOnly: false } })
})
