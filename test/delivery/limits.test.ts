import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settled, webhookPath } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { type DeliveryStage, startStage } from './stage.ts'

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage()
})

afterAll(() => stage.close())

/** 42 KB that would be 49 million cells. */
const table = { type: 'table', headers: Array(7_000).fill(''), rows: Array(7_000).fill({}) }

test('what an older Galley took and this one would not fails with the limit named, and the next document goes on', async () => {
  const siteId = randomUUID()
  const large = completed({ siteId, blocks: [table] })
  const webhook = await webhookPath(stage.galley)
  const taken = { ...large, data: completed().data }
  expect(await stage.galley.call('POST', webhook, taken)).toMatchObject({ status: 202 })
  await stage.pool.query('UPDATE event SET body = $2 WHERE document_id = $1', [
    large.id,
    Buffer.from(JSON.stringify(large)),
  ])
  await stage.lane('editor', {}, siteId)
  expect(await settled(stage.galley, large.id)).toMatchObject({
    status: 'failed',
    post: null,
    error: {
      code: 'document_unreadable',
      message: expect.stringMatching(/data\.content\.content\.0\.rows: A table has at most 50,000 cells/),
    },
  })
  expect(await stage.deliver(stage.documents.make(siteId))).toMatchObject({ status: 'delivered' })
})

test('a preview of what would be too much answers 422 with the limit', async () => {
  const { siteId } = await stage.lane()
  const { status, body } = await stage.galley.call<{ error: { code: string; details: unknown } }>(
    'POST',
    `/v1/sites/${siteId}/preview`,
    completed({ siteId, blocks: [table] }),
  )
  expect({ status, error: body.error }).toMatchObject({
    status: 422,
    error: { code: 'DOCUMENT_TOO_MANY_CELLS', details: [{ path: 'data.content.content.0.rows' }] },
  })
})
