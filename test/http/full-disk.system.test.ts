import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { startEmbedded } from '../../src/database/embedded/start.ts'
import { migrate } from '../../src/database/migrations.ts'
import { mountSmallDisk } from '../faults/stage/embedded.ts'
import { completed } from '../support/webhooks.ts'
import { startApp } from './app.ts'

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

test('is not ready while the disk of the database is full, and ready when it has room again', async () => {
  const disk = await mountSmallDisk(120)
  onTestFinished(() => disk.remove())
  const { connectionString, stop } = await startEmbedded({ dataDir: disk.dataDir, log })
  onTestFinished(stop)
  await migrate({ connectionString, log })
  const app = await startApp({}, connectionString)
  onTestFinished(app.stop)
  const source = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream' } })
  const { pathname } = new URL(source.body.data.url)
  const send = async () => {
    const text = randomBytes(50_000).toString('hex')
    const blocks = [{ type: 'paragraph', content: [{ type: 'text', text }] }]
    const { status, body } = await app.ask('POST', pathname, { key: undefined, body: completed({ blocks }) })
    return [status, body.error?.code]
  }
  const ready = async () => {
    const { status, body } = await app.ask('GET', '/readyz', { key: undefined })
    return [status, body.error?.message ?? body.status]
  }
  const working = [
    [202, undefined],
    [200, 'ready'],
  ]
  expect([await send(), await ready()]).toEqual(working)
  await disk.fill(async () => {
    await expect.poll(send).toEqual([503, 'NOT_STORED'])
    expect(await ready()).toEqual([503, expect.stringContaining('the disk of the database is full')])
  })
  expect([await send(), await ready()]).toEqual(working)
})
