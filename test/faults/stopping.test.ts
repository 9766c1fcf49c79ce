import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Fault } from '../support/proxy/index.ts'
import { startSimulated } from './stage/simulated.ts'

/** A site that answers nothing for longer than the process has. */
const hangs: Fault = { name: 'hangs', apply: () => undefined }
const STOP_MS = 1_500

test('stopping claims nothing more, waits for nobody beyond its deadline, and what it gives back is no failure', async () => {
  const stage = await startSimulated({
    timing: { stopMs: STOP_MS, exchangeMs: { read: 60_000, write: 60_000, upload: 60_000 } },
  })
  const { id: siteId, proxy } = stage.sites[0] as (typeof stage.sites)[number]
  proxy.rule({}, hangs)
  const documents = [await stage.send(siteId)]
  const states = async () => {
    const { rows } = await stage.pool.query(
      'SELECT status, crashed, attempts, leased_by, fence FROM delivery WHERE document_id = ANY ($1) ORDER BY fence DESC',
      [documents],
    )
    return rows
  }
  await expect.poll(async () => (await states()).map(({ status }) => status)).toContain('delivering')
  await expect.poll(() => proxy.requests.length).toBeGreaterThan(0)
  // Its one slot is taken.
  documents.push(await stage.send(siteId))

  // A client that has begun a request and never ends it.
  const { hostname, port } = new URL(stage.galley.url)
  const slow = connect(Number(port), hostname)
  slow.on('error', () => undefined)
  slow.write('POST /v1/sources HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{')
  onTestFinished(async () => {
    slow.destroy()
    await stage.close()
  })
  const before = performance.now()
  await stage.galley.stop()
  // Far below what the site and the client would have taken.
  expect(performance.now() - before).toBeLessThan(30_000)
  const queued = { status: 'queued', crashed: [], attempts: 0, leased_by: null }
  expect(await states()).toMatchObject([
    { ...queued, fence: 1 },
    { ...queued, fence: 0 },
  ])
})
