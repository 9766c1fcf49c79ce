import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type SimulatedStage, startSimulated } from '../faults/stage/simulated.ts'
import { settled } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { completedAs, startUpstream, type UpstreamServer } from './server.ts'

// .NET and PowerShell write a byte order mark before what they send as UTF-8: who takes it in must be able to read it again.

let stage: SimulatedStage
let upstream: UpstreamServer
beforeAll(async () => {
  stage = await startSimulated()
})
afterAll(() => stage.close())
beforeEach(async () => {
  upstream = await startUpstream()
})
afterEach(() => upstream.close())

/** Sends a webhook as .NET does, to a source of its own. */
async function send(body: object, settings: object): Promise<string> {
  const asked = { upstream_base_url: upstream.url, upstream_api_key: 'key-of-the-upstream', ...settings }
  const made = await stage.galley.call<{ id: string; data: { url: string } }>('POST', '/v1/sources', {
    name: 'Maker',
    ...asked,
  })
  const address = `${stage.galley.url}${new URL(made.body.data.url).pathname}`
  const { status } = await fetch(address, { method: 'POST', body: `\uFEFF${JSON.stringify(body)}` })
  expect(status).toBe(202)
  return made.body.id
}

const siteId = () => (stage.sites[0] as { id: string }).id

it('is delivered', async () => {
  const document = completed({ siteId: siteId() })
  await send(document, {})
  expect(await settled(stage.galley, document.id)).toMatchObject({ status: 'delivered', attempts: 0 })
})

it('is confirmed, where its source wants that', async () => {
  const document = completed({ siteId: siteId() })
  upstream.about.set(document.id, completedAs(document.id, completed({ title: 'Confirmed' }).data))
  await send(document, { confirm: true })
  expect(await settled(stage.galley, document.id)).toMatchObject({ status: 'delivered', attempts: 0 })
})

it('of a step is looked for, and keeps nobody from being looked for', async () => {
  const { id } = completed()
  const source = await send({ event: 'text.completed', id, delivery: { id: siteId() } }, { backfill: true })
  // Events are looked at a minute after they came.
  await stage.pool.query(
    `UPDATE event SET id = (lpad(to_hex((extract(epoch FROM now() - interval '2 minutes') * 1000)::bigint), 12, '0')
       || substr(replace(id::text, '-', ''), 13))::uuid WHERE status = 'kept'`,
  )
  await stage.pool.query(`SELECT graphile_worker.add_job('backfill')`)
  const asked = async () =>
    (await stage.galley.call<{ data: object[] }>('GET', `/v1/sources/${source}/backfill`)).body.data
  await expect.poll(asked).toMatchObject([{ document_id: id }])
})
