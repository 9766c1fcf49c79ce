import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { finishRemoval } from '../../src/sources/removal.ts'
import { startApp, type TestApp } from '../http/app.ts'
import { completed } from '../support/webhooks.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const one = async (sql: string, ...values: unknown[]) => (await app.database.pool.query(sql, values)).rows[0]

const addEvents = (sourceId: string, count: number) =>
  one(
    `INSERT INTO event (id, account_id, source_id, document_id, status, digest)
     SELECT gen_random_uuid(), $1, $2, gen_random_uuid(), 'kept', sha256(n::text::bytea)
     FROM generate_series(1, $3::int) AS n RETURNING id, document_id`,
    app.owner.id,
    sourceId,
    count,
  )

test('a source that has sent much ends at once, and its events go in batches, but for one that is needed', async () => {
  const { body } = await app.ask('POST', '/v1/sources', { body: { name: 'Busy' } })
  const needed = await addEvents(body.id, 4_500)
  expect(await app.ask('DELETE', `/v1/sources/${body.id}`)).toMatchObject({ status: 200 })

  expect(await app.ask('GET', `/v1/sources/${body.id}`)).toMatchObject({ status: 404 })
  expect((await app.ask('GET', '/v1/sources')).body.data).toEqual([])
  expect(await app.ask('PATCH', `/v1/sources/${body.id}`, { body: { name: 'Back' } })).toMatchObject({
    status: 404,
  })
  const webhook = new URL(body.data.url).pathname
  expect(await app.ask('POST', webhook, { key: undefined, body: completed() })).toMatchObject({ status: 404 })
  const left = () => one('SELECT count(*)::int AS events FROM event WHERE source_id = $1', body.id)
  expect(await left()).toEqual({ events: 2_500 })
  expect(
    await one(`SELECT payload FROM graphile_worker._private_jobs WHERE payload ->> 'sourceId' = $1`, body.id),
  ).toEqual({ payload: { sourceId: body.id } })

  // One that was being stored while the source was being removed.
  const late = (await one(`SELECT id FROM event WHERE source_id = $1 LIMIT 1`, body.id)).id
  await one(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at)
     VALUES ($1, $2, $3, $4, $5, 'queued', now())`,
    randomUUID(),
    app.owner.id,
    randomUUID(),
    needed.document_id,
    late,
  )
  const finish = () => finishRemoval(app.database.prisma, body.id, new AbortController().signal)
  expect(await finish()).toBe(false)
  expect(await left()).toEqual({ events: 1 })
  await one(`UPDATE delivery SET status = 'delivered', due_at = NULL WHERE wanted_event_id = $1`, late)
  expect(await finish()).toBe(true)
  expect(await one('SELECT 1 FROM source WHERE id = $1', body.id)).toBeUndefined()
})
