import type { Pool } from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createOutbound } from '../../src/outbound/index.ts'
import { runCheck } from '../../src/sites/health/checks.ts'
import { startApp, type TestApp } from '../http/app.ts'
import { type HostileSite, startHostileSite } from '../support/hostile-site.ts'

// What breaks under a check of many sites, which ends all the same.

let app: TestApp
let sites: HostileSite[]
let ids: string[]
let outbound: ReturnType<typeof createOutbound>
beforeAll(async () => {
  app = await startApp()
  outbound = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/test' })
  sites = await Promise.all([startHostileSite(), startHostileSite()])
  const credentials = { username: 'ed', application_password: 'abcd EFGH 1234 abcd EFGH 1234' }
  ids = []
  for (const { url } of sites)
    ids.push((await app.ask('POST', '/v1/sites?check=false', { body: { url, ...credentials } })).body.id)
})
afterEach(() => app.database.pool.query('DROP TRIGGER IF EXISTS fail ON site; DROP FUNCTION IF EXISTS fail'))
afterAll(async () => {
  await outbound.close()
  for (const site of sites) await site.close()
  await app.stop()
})

const run = (id: string, pool: Pool = app.database.pool) =>
  runCheck(
    {
      ...app.database,
      ...{ pool, keyring: app.keyring, outbound, log: pino({ level: 'silent' }) },
      resume: async () => 0,
    },
    id,
    new AbortController().signal,
  )
const start = async () => (await app.ask('POST', '/v1/sites/check')).body.data.id as string
const read = async (id: string) => (await app.ask('GET', `/v1/sites/check/${id}`)).body.data

test('a site whose report cannot be stored is a problem, and the others are checked', async () => {
  await app.database.pool.query(
    `CREATE FUNCTION fail() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$ LANGUAGE plpgsql;
     CREATE TRIGGER fail BEFORE UPDATE ON site FOR EACH ROW WHEN (OLD.id = '${ids[0]}') EXECUTE FUNCTION fail()`,
  )
  const id = await start()
  await run(id)
  const { status, counts, results } = await read(id)
  expect([status, counts.waiting]).toEqual(['done', 0])
  const of = (siteId: string | undefined) =>
    results.find(({ site_id }: { site_id: string }) => site_id === siteId)
  expect(of(ids[0])).toMatchObject({ status: 'problem' })
  expect((await app.ask('GET', `/v1/sites/${ids[1]}`)).body.data.report).not.toBeNull()
})

test('a database that is away for a while costs a check no attempt', async () => {
  const id = await start()
  let broken = 0
  const away = new Proxy(app.database.pool, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name)
      return async (...args: Parameters<Pool['query']>) => {
        broken += 1
        if (broken <= 5) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
        return target.query(...args)
      }
    },
  }) as Pool
  await run(id, away)
  expect(broken).toBeGreaterThan(5)
  expect(await read(id)).toMatchObject({ status: 'done', counts: { waiting: 0 } })
})
