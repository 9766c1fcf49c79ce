import { afterAll, beforeAll, expect, test } from 'vitest'
import { MODEL, type ScriptedProvider, startScriptedProvider } from '../../demo/scripted-model.ts'
import { loadConfig } from '../../src/config/config.ts'
import { type SimulatedStage, startSimulated } from '../faults/stage/simulated.ts'
import { settled } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'

// Galley's own generation service, as a client sees it, is the upstream.

let model: ScriptedProvider
let stage: SimulatedStage
beforeAll(async () => {
  model = await startScriptedProvider()
  const { providers } = loadConfig({ GALLEY_AI_URL: model.url, GALLEY_AI_MODEL: MODEL })
  stage = await startSimulated({ config: { providers } })
})
afterAll(async () => {
  await stage.close()
  await model.stop()
})

test('a document that was made and never announced is delivered, and a forged webhook about it changes nothing', {
  timeout: 180_000,
}, async () => {
  const { call, url } = stage.galley
  const siteId = stage.sites[0]?.id as string
  const order = { prompt: 'How to read a tide table', text: { length: 100 }, image: { enabled: false } }
  const { id } = (await call<{ id: string }>('POST', '/v1/document/create', order)).body
  const key = (await call<{ data: { key: string } }>('POST', '/v1/keys', { name: 'for confirmation' })).body
    .data.key
  const requested = { name: 'Galley', confirm: true, upstream_base_url: `${url}/v1`, upstream_api_key: key }
  const made = await call<{ id: string; data: { url: string } }>('POST', '/v1/sources', requested)
  expect(made.status).toBe(201)
  const asked = { document_ids: [id], delivery: { id: siteId } }
  expect(await call('POST', `/v1/sources/${made.body.id}/backfill`, asked)).toMatchObject({ status: 202 })

  const status = () => call<{ status: string; data: { title: string } }>('GET', `/v1/document/status/${id}`)
  await expect.poll(async () => (await status()).body.status, { timeout: 120_000 }).toBe('completed')
  const delivery = await settled(stage.galley, id, 120)
  expect(delivery).toMatchObject({ status: 'delivered' })
  const { title } = (await status()).body.data
  const shown = async () => (await stage.pool.query('SELECT title FROM delivery')).rows
  expect(await shown()).toEqual([{ title }])

  const forged = completed({ id, siteId, title: 'Buy now' })
  expect(await call('POST', new URL(made.body.data.url).pathname, forged)).toMatchObject({ status: 202 })
  const confirmations = async () =>
    (await settled(stage.galley, id)).timeline.filter(({ step }) => step === 'confirm').length
  await expect.poll(confirmations).toBe(1)
  expect(await settled(stage.galley, id)).toMatchObject({
    status: 'delivered',
    post: { id: delivery.post?.id },
  })
  expect(await shown()).toEqual([{ title }])
  const { rows } = await stage.pool.query('SELECT confirmed_body FROM event WHERE confirmed_body IS NOT NULL')
  expect(rows.map(({ confirmed_body }) => String(confirmed_body).includes('Buy now'))).toEqual([false])
})
