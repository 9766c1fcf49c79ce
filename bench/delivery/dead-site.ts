import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { methodOf } from '../../test/support/proxy/index.ts'
import type { Figure, Scale } from '../benchmark.ts'
import { answerOf, type SimulatedPost } from '../support/simulator.ts'
import { holdBacklog, releaseBacklog } from './backlog.ts'
import { allDelivered, send } from './documents.ts'
import type { Stage } from './stage.ts'

const SCALES = {
  full: { documents: 20, ms: 3_600_000 },
  quick: { documents: 4, ms: 60_000 },
} satisfies Record<Scale, object>

/** Longer than a request is tried again in place, or a job waits for its turn. */
const QUIET_MS = 1_500

/** As many as a dead site may get: it is noticed within half a minute that it works again, in its first ten minutes. */
const MOST = 40

/** Requests to a dead site, beside as many as it may get. */
export async function measureDeadSite(scale: Scale, stage: Stage): Promise<Figure[]> {
  const measured = await requestsToDeadSite(scale, stage)
  const figure = { figure: 'requests to a dead site in an hour', unit: 'count', measured } as const
  if (scale === 'quick') return [{ ...figure, baseline: null, ratio: null, target: null }]
  const target = { ratio: 'at most', limit: 1 } as const
  return [{ ...figure, baseline: MOST, ratio: measured / MOST, target }]
}

/**
 * Requests that a site gets in an hour that has delivered a document, and then answers 502 to everything while 20 documents
 * wait. Galley runs as it always does; whenever it waits for a time that is written down, all that is written down about
 * the site is made older by as much. What a process keeps in its memory does not age so.
 */
async function requestsToDeadSite(
  scale: Scale,
  { pool, webhook, connect }: Pick<Stage, 'pool' | 'webhook' | 'connect'>,
): Promise<number> {
  const { documents, ms } = SCALES[scale]
  const site = await startMortal()
  try {
    const siteId = await connect({ url: site.url })
    await allDelivered(pool, [await send({ webhook, siteId })])
    await holdBacklog(pool, { webhook, siteId }, documents)
    site.die()
    await releaseBacklog(pool, siteId)
    const began = performance.now()
    let skipped = 0
    for (let left = ms; left > 0; left = ms - (performance.now() - began + skipped)) {
      await sleep(50)
      const waits = site.quietMs() < QUIET_MS ? 0 : await untilNext(pool, siteId)
      const step = Math.min(waits, left)
      if (step <= 0) continue
      await makeOlder(pool, siteId, step)
      skipped += step
      site.noise()
    }
    return site.requests()
  } finally {
    site.close()
  }
}

interface Mortal {
  url: string
  /** From now on every request is answered 502. */
  die(): void
  /** Since it died. */
  requests(): number
  /** Milliseconds since the last request, or {@link noise}. */
  quietMs(): number
  noise(): void
  close(): void
}

/** A simulated site, until it dies. */
async function startMortal(): Promise<Mortal> {
  const posts = new Map<number, SimulatedPost>()
  let requests: number | null = null
  let lastAt = performance.now()
  const noise = () => {
    lastAt = performance.now()
  }
  const server = createServer(async (request, response) => {
    noise()
    const text = (await buffer(request)).toString('utf8')
    if (requests !== null) {
      requests += 1
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>')
      return
    }
    const body = text === '' ? {} : JSON.parse(text)
    const { status, json } = answerOf(methodOf(request), request.url ?? '', body, posts)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    die() {
      requests = 0
    },
    requests: () => requests ?? 0,
    quietMs: () => performance.now() - lastAt,
    noise,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Milliseconds until anything of the site is due; nothing is, where something is due or under way now. */
async function untilNext(pool: Pool, siteId: string): Promise<number> {
  const { rows } = await pool.query<{ ms: number | null }>(
    `SELECT extract(epoch FROM min(at) - now())::float8 * 1000 AS ms FROM (
       SELECT CASE WHEN d.status = 'delivering' THEN now() ELSE greatest(d.due_at, s.paused_until) END AS at
       FROM delivery d JOIN site s ON s.id = d.site_id WHERE s.id = $1 AND d.due_at IS NOT NULL
       UNION ALL
       SELECT CASE WHEN locked_at IS NULL THEN run_at ELSE now() END FROM graphile_worker._private_jobs
       WHERE payload::jsonb ->> 'siteId' = $1::text
     ) AS waiting`,
    [siteId],
  )
  return rows[0]?.ms ?? 0
}

async function makeOlder(pool: Pool, siteId: string, ms: number): Promise<void> {
  const by = `$2::float8 * interval '1 millisecond'`
  await pool.query(
    `WITH older_site AS (
       UPDATE site SET paused_until = paused_until - ${by}, report_at = report_at - ${by},
         trouble_since = trouble_since - ${by}, attention_at = attention_at - ${by},
         last_success_at = last_success_at - ${by} WHERE id = $1
     ), older_jobs AS (
       UPDATE graphile_worker._private_jobs SET run_at = run_at - ${by}
       WHERE locked_at IS NULL AND payload::jsonb ->> 'siteId' = $1::text
     )
     UPDATE delivery SET due_at = due_at - ${by}, site_failed_at = site_failed_at - ${by},
       reserve_intent_at = reserve_intent_at - ${by}, ambiguous_at = ambiguous_at - ${by} WHERE site_id = $1`,
    [siteId, ms],
  )
}
