import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../http/app.ts'
import { storeSite } from './stage.ts'

// More long jobs than anybody works off.

const csv = 'url,username,application_password\nhttps://example.com,ed,abcd'

test.each([
  ['/v1/bulk', 'bulk_job', { body: { action: 'check', filter: {} } }],
  ['/v1/imports', 'site_import', { body: csv, headers: { 'content-type': 'text/csv' } }],
])('an account has only so many under way: POST %s', async (path, table, asked) => {
  const app = await startApp()
  onTestFinished(() => app.stop())
  await storeSite(app, app.owner.id)
  const ask = (key: string, more: object = {}) => app.ask('POST', path, { ...asked, ...more, key })
  const named = { headers: { ...('headers' in asked && asked.headers), 'idempotency-key': randomUUID() } }
  const first = await ask(app.owner.key, named)
  let last = first
  let most = 0
  for (; last.status === 202 && most < 100; most += 1) last = await ask(app.owner.key)
  expect(last).toMatchObject({ status: 429, body: { error: { code: 'TOO_MANY_JOBS' } } })
  expect(last.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await ask(app.owner.key, named)).toMatchObject({ status: 202, body: first.body })
  const { pool } = app.database
  const queues = async (): Promise<string[]> =>
    (await pool.query('SELECT DISTINCT queue_name FROM graphile_worker.jobs')).rows.map(
      (row) => row.queue_name,
    )
  const ofOwner = await queues()
  for (let count = 0; count < 10; count += 1) expect((await ask(app.stranger.key)).status).toBe(202)
  // What an account asks for waits behind nothing of another's.
  const ofStranger = await pool.query('SELECT queue_name FROM graphile_worker.jobs ORDER BY id DESC LIMIT 10')
  for (const { queue_name: name } of ofStranger.rows) expect(ofOwner).not.toContain(name)
  await pool.query(
    `UPDATE ${table} SET ended_at = now() WHERE id = (SELECT min(id::text)::uuid FROM ${table})`,
  )
  expect((await ask(app.owner.key)).status).toBe(202)
  // What was left over by a worker that gave up does not lock anybody out for good.
  const old = "overlay(id::text placing '019a0000' from 1 for 8)::uuid"
  await pool.query(`UPDATE ${table} SET id = ${old} WHERE account_id = '${app.owner.id}'`)
  expect((await ask(app.owner.key)).status).toBe(202)
})
