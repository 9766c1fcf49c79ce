import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { createApiKey } from '../../src/secrets/keyring.ts'
import { startSimulated } from '../faults/stage/simulated.ts'
import { settled } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { completedAs, startUpstream } from './server.ts'

const MEBIBYTE = 1024 * 1024

test('who waits in line for a slow upstream holds no room in memory that others need', async () => {
  // Documents have nine mebibytes of it, and a usual answer of an upstream needs one.
  const adminKey = createApiKey()
  const stage = await startSimulated({
    sites: 2,
    concurrency: 4,
    config: { bytesInFlight: 48 * MEBIBYTE, adminKey },
  })
  const upstream = await startUpstream()
  const documentBytes = async () => {
    const figures = await fetch(`${stage.galley.url}/metrics`, { headers: { 'x-api-key': adminKey } })
    return Number(/^galley_bytes_in_flight\{use="documents"\} (\d+)$/m.exec(await figures.text())?.[1])
  }
  try {
    const [busy, other] = stage.sites.map(({ id }) => id) as [string, string]
    const { call } = stage.galley
    const wish = { upstream_base_url: upstream.url, upstream_api_key: 'a-key', confirm: true }
    const { body } = await call<{ data: { url: string } }>('POST', '/v1/sources', { name: 'Slow', ...wish })
    const waiting: [ServerResponse, string][] = []
    upstream.all = (response) => waiting.push([response, String(upstream.asked.at(-1)?.id)])
    const documents = Array.from({ length: 30 }, () => completed({ siteId: busy }))
    for (const document of documents) await call('POST', new URL(body.data.url).pathname, document)
    // One that was waited for too long has been asked again.
    const open = () => waiting.filter(([response]) => !response.destroyed)
    await expect.poll(() => open().length).toBe(8)
    // Each of the eight that are under way holds one for its answer, and those that wait in line hold nothing.
    await expect.poll(documentBytes).toBe(8 * MEBIBYTE)

    const quick = await stage.send(other)
    expect(await settled(stage.galley, quick)).toMatchObject({ status: 'delivered' })

    upstream.all = undefined
    for (const { id, data } of documents) upstream.about.set(id, completedAs(id, data))
    for (const [response, id] of open()) completedAs(id, documents[0]?.data)(response, response.req)
    for (const { id } of documents)
      expect(await settled(stage.galley, id)).toMatchObject({ status: 'delivered' })
  } finally {
    await upstream.close()
    await stage.close()
  }
})
