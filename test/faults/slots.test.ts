import { EventEmitter, once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { Pool } from 'pg'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createByteBudget } from '../../src/bytes/index.ts'
import { openDatabase } from '../../src/database/index.ts'
import { workSite } from '../../src/delivery/site-worker/site-worker.ts'
import { SiteTrafficCache } from '../../src/delivery/site-worker/tasks.ts'
import { Heartbeat } from '../../src/jobs/heartbeat.ts'
import { SharedExclusiveLock } from '../../src/jobs/shared-exclusive-lock.ts'
import { createOutbound } from '../../src/outbound/index.ts'
import { openKeyring } from '../../src/secrets/index.ts'
import { generateSecretKey, parseSecretKeys } from '../../src/secrets/keyring.ts'
import { loadSite } from '../../src/sites/health/load-site.ts'
import { createUpstreamClient } from '../../src/upstream/ask.ts'
import { type Fault, pages } from '../support/proxy/index.ts'
import { startSimulated } from './stage/simulated.ts'
import { quickTiming } from './stage/timing.ts'

type Claim = (forward: () => Promise<unknown>) => Promise<unknown>

/** The pool, through which a claim goes as this says. */
function claimingBy(pool: Pool, claim: Claim): Pool {
  const query = (...all: [{ name?: string }]) => {
    const forward = (): Promise<unknown> => pool.query(...(all as unknown as [string]))
    return all[0]?.name?.startsWith('claim-next') ? claim(forward) : forward()
  }
  return new Proxy(pool, {
    get: (target, key) => {
      if (key === 'query') return query
      const value = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** A site with two slots, and what works it, through a pool of which the claims go as this says; no other Galley does. */
async function startWorker() {
  const log = pino({ level: 'silent' })
  const secretKeys = generateSecretKey()
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
  return {
    ...stage,
    proxy,
    send: () => stage.send(id),
    /** @param traffics of a process; without it, each request goes by itself */
    async work(claim: Claim, traffics?: SiteTrafficCache): Promise<boolean> {
      const pool = claimingBy(database.pool, claim)
      const { rows } = await stage.pool.query('SELECT account_id FROM site')
      const keyring = openKeyring(parseSecretKeys(secretKeys, 'the test'))
      const parts = { pool: database.pool, keyring, outbound, timing: quickTiming }
      const opened = (await loadSite(parts, { accountId: rows[0].account_id, id }))?.open()
      if (opened === undefined) throw new Error('it is connected')
      const site = traffics?.withTraffic(opened) ?? opened
      const context = {
        pool,
        outbound,
        findStored: async () => undefined,
        upstreams: createUpstreamClient({ pool, outbound, keyring, timing: quickTiming }),
        budget: createByteBudget(),
        log,
        timing: quickTiming,
        heartbeat,
        lock: new SharedExclusiveLock(),
        stopping: new AbortController().signal,
      }
      const checkpoint = { site: async () => site, isWanted: () => false }
      return workSite(context, site, { probing: false, checkpoint })
    },
  }
}

test('a site worker of which one claim fails ends when all of its slots have ended, and claims nothing more', async () => {
  const { proxy, pool, send, work } = await startWorker()
  for (let n = 0; n < 6; n += 1) await send()

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
  const claims = { asked: 0, failed: 0 }
  let ended = false
  const run = work((forward) => {
    claims.asked += 1
    if (!underWay) return forward()
    claims.failed += 1
    return Promise.reject(new Error('the claim failed'))
  }).finally(() => {
    ended = true
  })
  run.catch(() => undefined)
  await expect.poll(() => claims.failed).toBe(1)
  const { asked } = claims
  expect(ended).toBe(false)
  news.emit('go on')
  await expect(run).rejects.toThrow('the claim failed')
  const { rows: left } = await pool.query(`SELECT 1 FROM delivery WHERE status = 'delivering'`)
  expect(left).toEqual([])
  expect(claims.asked).toBe(asked)
})

test('what was being claimed when the pause of the site was stored is not sent', async () => {
  const { proxy, pool, send, work } = await startWorker()
  await send()
  let sent = 0
  proxy.rule(
    { method: 'POST', path: '/wp/v2/posts' },
    {
      name: 'down',
      apply({ reply }) {
        sent += 1
        reply(pages.badGateway)
      },
    },
  )
  // Whether it lasts or is over already: here it is of 200 ms.
  const wasPaused = async () =>
    (await pool.query('SELECT 1 FROM site WHERE paused_until IS NOT NULL')).rowCount
  let claims = 0
  await work(async (forward) => {
    claims += 1
    const claimed = await forward()
    if (claims === 1) await send()
    if (claims === 2) {
      await expect.poll(wasPaused).toBe(1)
      // The process knows that a moment later.
      await setTimeout(200)
    }
    return claimed
  }, new SiteTrafficCache())
  expect(sent).toBe(1)
  const { rows } = await pool.query('SELECT status, attempts FROM delivery')
  expect(rows).toEqual([
    { status: 'queued', attempts: 0 },
    { status: 'queued', attempts: 0 },
  ])
})
