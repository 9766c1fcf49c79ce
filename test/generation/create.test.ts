import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type TestApp } from '../http/app.ts'
import { someProviders } from './providers.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ requestsPerMinute: 0 }, undefined, undefined, someProviders)
})
afterAll(() => app.stop())

const bodies = {
  document: { prompt: 'How tides come about' },
  audio: { text: 'The sea rises and falls.' },
  image: { prompt: 'A harbour at low water' },
}
const kinds = ['document', 'audio', 'image'] as const
const create = (kind: keyof typeof bodies, body: object = {}, headers: Record<string, string> = {}) =>
  app.ask('POST', `/v1/${kind}/create`, { body: { ...bodies[kind], ...body }, headers })

describe.each(kinds)('a job for %s', (kind) => {
  it('202-accepted, stored, paid and queued', async () => {
    const { status, body } = await create(kind)
    expect(status).toBe(202)
    expect(body).toEqual({ success: true, id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    const { rows } = await app.database.pool.query(
      `SELECT job.kind, job.status, job.price, entry.kind AS entry, entry.amount, entry.price AS entered,
        (SELECT count(*)::int FROM graphile_worker.jobs WHERE key = 'generate:' || job.id) AS queued
      FROM generation_job job JOIN credit_entry entry ON entry.job_id = job.id WHERE job.id = $1`,
      [body.id],
    )
    const price = { document: 20, audio: 2, image: 4 }[kind]
    expect(rows).toEqual([
      { kind, status: 'pending', price, entry: 'charge', amount: 0, entered: price, queued: 1 },
    ])
  })

  it('200-pending', async () => {
    const { body } = await create(kind)
    expect(await app.ask('GET', `/v1/${kind}/status/${body.id}`)).toMatchObject({
      status: 200,
      body: { success: true, id: body.id, status: 'pending' },
    })
  })
})
