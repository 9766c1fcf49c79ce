import { EventEmitter, once } from 'node:events'
import type { Pool } from 'pg'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createByteBudget } from '../../src/bytes/index.ts'
import { openDatabase } from '../../src/database/index.ts'
import { workSite } from '../../src/delivery/site-worker/site-worker.ts'
import { Heartbeat } from '../../src/jobs/heartbeat.ts'
import { SharedExclusiveLock } from '../../src/jobs/shared-exclusive-lock.ts'
import { createOutbound } from '../../src/outbound/index.ts'
import { openKeyring } from '../../src/secrets/index.ts'
import { createKey, parseKeys } from '../../src/secrets/keys.ts'
import { loadSite } from '../../src/sites/health/load-site.ts'
import { createUpstreams } from '../../src/upstream/ask.ts'
import type { Fault } from '../support/proxy/index.ts'
import { startSimulated } from './stage/simulated.ts'
import { quickTiming } from './stage/timing.ts'

/** The pool, of which a claim fails once one delivery is under way; and how many claims it has seen. */
function failingClaims(pool: Pool, underWay: () => boolean) {
  const claims = { asked: 0, failed: 0 }
  const query = (...all: [{ name?: string }]) => {
    if (!all[0]?.name?.startsWith('claim-next')) return pool.query(...(all as unknown as [string]))
    claims.asked += 1
    if (!underWay()) return pool.query(...(all as unknown as [string]))
    claims.failed += 1
    return Promise.reject(new Error('the claim failed'))
  }
  const failing = new Proxy(pool, {
    get: (target, key) => {
      if (key === 'query') return query
      const value = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { pool: failing, claims }
}

test('a site worker of which one claim fails ends when all of its slots have ended, and claims nothing more', async () => {
  const log = pino({ level: 'silent' })
  const secretKeys = createKey()
  const stage = await startSimulated({ concurrency: 2, config: { role: 'web', secretKeys } })
  const database = openDatabase({ connectionString: stage.database.connectionString, poolSize: 5, log })
  const outbound = createOutbound({ allowPrivate: 'all', userAgent: 'Galley/test' })
  const { id, proxy } = stage.sites[0] as (typeof stage.sites)[number]
  const heartbeat = await Heartbeat.start(database.pool, 'test', quickTiming, log)
  onTestFinished(async () => {
    heartbeat.stop()
    await outbound.close()
    await database.close()
    await stage.close()
  })
  for (let n = 0; n < 6; n += 1) await stage.send(id)

  const news = new EventEmitter()
  const goOn = once(news, 'go on')
  let underWay = false
  const slow: Fault = {
    name: 'slow',
    async apply({ forward, reply }) {
      underWay = true
      await goOn
      reply(await forward())
    },
  }
  // The second delivery; the first goes through, and its line claims again.
  proxy.rule({ method: 'POST', path: '/wp/v2/posts', nth: 2 }, slow)
  const { pool, claims } = failingClaims(database.pool, () => underWay)
  const { rows } = await stage.pool.query('SELECT account_id FROM site')
  const keyring = openKeyring(parseKeys(secretKeys, 'the test'))
  const parts = { pool: database.pool, keyring, outbound, timing: quickTiming }
  const site = (await loadSite(parts, { accountId: rows[0].account_id, id }))?.open()
  if (site === undefined) throw new Error('it is connected')
  const context = {
    pool,
    outbound,
    findStored: async () => undefined,
    upstreams: createUpstreams({ pool, outbound, keyring, timing: quickTiming }),
    budget: createByteBudget(),
    log,
    timing: quickTiming,
    heartbeat,
    lock: new SharedExclusiveLock(),
    stopping: new AbortController().signal,
  }
  let ended = false
  const checkpoint = { site: async () => site, isWanted: () => false }
  const run = workSite(context, site, { probing: false, checkpoint }).finally(() => {
    ended = true
  })
  run.catch(() => undefined)
  await expect.poll(() => claims.failed, { timeout: 15_000 }).toBe(1)
  const { asked } = claims
  expect(ended).toBe(false)
  news.emit('go on')
  await expect(run).rejects.toThrow('the claim failed')
  const { rows: left } = await stage.pool.query(`SELECT 1 FROM delivery WHERE status = 'delivering'`)
  expect(left).toEqual([])
  expect(claims.asked).toBe(asked)
})
