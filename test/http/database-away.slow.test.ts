import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedDatabase, startEmbedded } from '../../src/database/embedded/start.ts'
import { migrate } from '../../src/database/migrations.ts'
import { newDataDir, removeDataDir } from '../support/database/data-folder.ts'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

// A server of this file's own: the one that all tests share must not be stopped.
const log = pino({ level: 'fatal' })
let dataDir: string
let server: EmbeddedDatabase
let app: TestApp
let webhook: string

beforeAll(async () => {
  dataDir = newDataDir()
  server = await startEmbedded({ dataDir, log })
  await migrate({ connectionString: server.connectionString, log })
  app = await startApp({}, server.connectionString)
  const { body } = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream' } })
  webhook = new URL(body.data.url).pathname
})
afterAll(async () => {
  await app.stop()
  await server.stop()
  await removeDataDir(dataDir)
})

describe('while the database is stopped', () => {
  it('answers 503 everywhere but to who asks whether it lives, and recovers by itself', async () => {
    await server.stop()
    expect(await app.ask('GET', '/healthz')).toMatchObject({ status: 200 })
    for (const [method, path, code] of [
      ['GET', '/readyz', 'DATABASE_UNAVAILABLE'],
      ['GET', '/v1/keys', 'DATABASE_UNAVAILABLE'],
      ['POST', webhook, 'NOT_STORED'],
    ] as const) {
      const answer = await app.ask(method, path, method === 'POST' ? { body: completed() } : {})
      expect(answer, path).toMatchObject({ status: 503, body: { success: false, error: { code } } })
    }

    server = await startEmbedded({ dataDir, log })
    expect(await app.ask('GET', '/readyz')).toMatchObject({ status: 200 })
    expect(await app.ask('GET', '/v1/keys')).toMatchObject({ status: 200 })
    expect(await app.ask('POST', webhook, { body: completed() })).toMatchObject({ status: 202 })
  })
})
