import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorKey, startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const asVisitor = (path: string, headers = {}) => app.ask('GET', path, { key: undefined, headers })

describe('what machines ask without a key', () => {
  it('200-alive', async () => {
    expect(await asVisitor('/healthz')).toMatchObject({
      status: 200,
      body: { success: true, status: 'alive' },
    })
  })

  it('200-ready', async () => {
    expect(await asVisitor('/readyz')).toMatchObject({
      status: 200,
      body: { success: true, status: 'ready' },
    })
  })

  it('200-degraded, while only the operator can set a provider right, without its words', async () => {
    const { pool } = app.database
    await pool.query(
      `INSERT INTO generation_provider (name, paused_until, trouble_count, trouble, trouble_since)
       VALUES ('painter/m', now() + interval '1 minute', 1,
         '{"code": "PROVIDER_UNAVAILABLE", "message": "It knows no key-123.", "action": "owner", "model": "m"}', now())`,
    )
    const { status, body } = await asVisitor('/readyz')
    await pool.query('DELETE FROM generation_provider')
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { success: true, status: 'degraded', problems: [{ code: 'PROVIDER_UNAVAILABLE' }] },
    })
    expect(body.problems[0].message).toContain('The provider painter/m refuses Galley')
    expect(JSON.stringify(body)).not.toContain('key-123')
  })

  it('503-not-ready, where the database takes no changes', async () => {
    const { database, stop, ask } = await startApp()
    await database.pool.query(`DO $$ BEGIN
      EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database());
    END $$`)
    await database.pool.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined)
    expect(await ask('GET', '/readyz', { key: undefined })).toMatchObject({
      status: 503,
      body: { error: { code: 'DATABASE_UNAVAILABLE', message: expect.stringContaining('takes no changes') } },
    })
    await stop()
  })

  it('200-metrics, by route and never by address', async () => {
    const id = crypto.randomUUID()
    await app.ask('GET', `/v1/sources/${id}`)
    await app.ask('GET', `/nothing/${id}`)
    await app.ask('POST', `/v1/webhooks/${id}`, { body: {} })
    const { status, body } = await app.ask('GET', '/metrics', { key: await operatorKey(app) })
    expect(status).toBe(200)
    expect(body).toContain('route="/v1/sources/{uuid}",status="4xx"')
    expect(body).toContain('route="unmatched",status="4xx"')
    expect(body).toContain('route="/v1/webhooks/{token}",status="4xx"')
    expect(body).toContain('process_resident_memory_bytes')
    expect(body).toContain('galley_bytes_in_flight{use="webhooks"} 0')
    expect(body).toContain('galley_bytes_in_flight_waiting{use="files"} 0')
    expect(body).not.toContain(id)
  })

  it('401-metrics-without-a-key, and 200 where the settings open them', async () => {
    expect(await asVisitor('/metrics')).toMatchObject({
      status: 401,
      body: { error: { code: 'UNAUTHENTICATED' } },
    })
    const open = await startApp({ metricsOpen: true })
    expect(await open.ask('GET', '/metrics', { key: undefined })).toMatchObject({ status: 200 })
    await open.stop()
  })

  it('403-metrics-of-all-accounts, for a key of one', async () => {
    expect(await app.ask('GET', '/metrics')).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN', details: { right: 'metrics.read', roles: ['operator'] } } },
    })
  })

  it('200-index, for people and for programs', async () => {
    const page = await asVisitor('/', { accept: 'text/html' })
    expect(page).toMatchObject({ status: 200, body: expect.stringContaining('<title>Galley</title>') })
    expect(await asVisitor('/', { accept: 'application/json' })).toMatchObject({
      status: 200,
      body: { success: true, name: 'Galley', documentation: '/openapi.json' },
    })
  })
})
