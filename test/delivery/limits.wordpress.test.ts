import { afterAll, beforeAll, expect, test } from 'vitest'
import { completed } from '../support/webhooks.ts'
import { type DeliveryStage, startStage } from './stage.ts'

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage()
})

afterAll(() => stage.close())

/** 42 KB that would be 49 million cells. */
const table = { type: 'table', headers: Array(7_000).fill(''), rows: Array(7_000).fill({}) }

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
