import { EventEmitter, once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ClaimRequest, COHORT_SIZE, claimNext } from '../../src/delivery/ledger/claim.ts'
import { LeaseLostError, Ledger } from '../../src/delivery/ledger/ledger.ts'
import { settleDone } from '../../src/delivery/ledger/settle.ts'
import { setClock } from '../support/clock.ts'
import { settled } from '../support/galley.ts'
import { answer, type Fault, pages } from '../support/proxy/index.ts'
import { pausesOf, together, watchPauses } from './stage/cohort.ts'
import { type SimulatedStage, startSimulated } from './stage/simulated.ts'
import { quickTiming } from './stage/timing.ts'

const MEGABYTE = 1_000_000

let stage: SimulatedStage
let siteId: string

async function send(count: number): Promise<string[]> {
  const documents: string[] = []
  for (let n = 0; n < count; n += 1) documents.push(await stage.send(siteId))
  return documents
}

/** Their events become as large as this, with nothing but spaces. */
const pad = (documents: readonly string[], bytes: number) =>
  stage.pool.query(
    `UPDATE event SET body = convert_to(rpad(convert_from(body, 'UTF8'), $2), 'UTF8') WHERE document_id = ANY ($1)`,
    [documents, bytes],
  )

describe('where nobody works', () => {
  let request: ClaimRequest

  beforeAll(async () => {
    stage = await startSimulated({ config: { role: 'web' } })
    siteId = stage.sites[0]?.id as string
    const { rows } = await stage.pool.query('SELECT account_id FROM site')
    request = { siteId, accountId: rows[0].account_id, worker: 'a test', leaseS: 60 }
  })

  afterAll(() => stage.close())

  afterEach(() => vi.restoreAllMocks())

  const clear = () => stage.pool.query('DELETE FROM delivery')

  /** The pool, and the names of the statements that it was asked. */
  function counting() {
    const asked: string[] = []
    const query = (...all: [{ name?: string }]) => {
      asked.push(all[0]?.name ?? '')
      return stage.pool.query(...(all as unknown as [string]))
    }
    const get = (target: Pool, key: string | symbol) =>
      key === 'query' ? query : Reflect.get(target, key, target)
    return { pool: new Proxy(stage.pool, { get }), asked }
  }

  async function claimed(count: number) {
    await clear()
    await send(count)
    const { pool, asked } = counting()
    const rows = await claimNext(pool, request)
    expect(rows).toHaveLength(count)
    const ledgers = rows.map((row) => new Ledger(pool, row, 60))
    asked.length = 0
    return { rows, ledgers, asked }
  }

  const linesOf = async (deliveryId: string | undefined) => {
    const { rows } = await stage.pool.query(
      'SELECT step, outcome, at FROM delivery_step WHERE delivery_id = $1 ORDER BY id',
      [deliveryId],
    )
    return rows as { step: string; outcome: string; at: Date }[]
  }
  const said = async (deliveryId: string | undefined) =>
    (await linesOf(deliveryId)).map(({ step, outcome }) => `${step} ${outcome}`)

  test('two slots claim what is due together, each delivery once', async () => {
    await clear()
    const documents = await send(COHORT_SIZE + 2)
    const claims = await Promise.all([claimNext(stage.pool, request), claimNext(stage.pool, request)])
    const rest = await claimNext(stage.pool, request)
    const rows = [...claims.flat(), ...rest]
    expect(rows.map(({ document_id }) => document_id).sort()).toEqual(documents.sort())
    expect(rows.every(({ fence, status }) => fence === 1 && status === 'delivering')).toBe(true)
    expect(claims.every((rows) => rows.length <= COHORT_SIZE)).toBe(true)
  })

  test('documents that are large together are claimed apart', async () => {
    await clear()
    const documents = await send(4)
    await pad(documents.slice(1, 2), 2 * MEGABYTE)
    const cohorts: string[][] = []
    for (let n = 0; n < 3; n += 1)
      cohorts.push((await claimNext(stage.pool, request)).map(({ document_id }) => document_id))
    const [first, second, ...others] = documents
    expect(cohorts.map((cohort) => cohort.sort())).toEqual([[first], [second], others.sort()])
  })

  test('one whose process ended over it is claimed with nothing behind it', async () => {
    await clear()
    const documents = await send(3)
    await stage.pool.query(`UPDATE delivery SET crashed = '{1}' WHERE document_id = $1`, [documents[1]])
    for (const document of documents) {
      const rows = await claimNext(stage.pool, request)
      expect(rows.map(({ document_id }) => document_id)).toEqual([document])
    }
  })

  test('a claim that was lost is noticed before a write to the site, though the clock was put back meanwhile', async () => {
    const { rows, ledgers } = await claimed(1)
    await stage.pool.query('UPDATE delivery SET fence = fence + 1 WHERE id = $1', [rows[0]?.id])
    setClock(-3_600_000)
    await wait(600)
    await expect(ledgers[0]?.assertHeld()).rejects.toBeInstanceOf(LeaseLostError)
  })

  test('what several note at once is one statement, and who is fenced off hears it alone', async () => {
    const { rows, ledgers, asked } = await claimed(3)
    await stage.pool.query('UPDATE delivery SET fence = fence + 1 WHERE id = $1', [rows[1]?.id])
    const notes = ledgers.map((ledger, n) => ledger.record('reserve', 'created', null, { post_id: n + 1 }))
    expect(await Promise.allSettled(notes)).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: expect.any(LeaseLostError) },
      { status: 'fulfilled' },
    ])
    expect(asked).toHaveLength(1)
    const { rows: posts } = await stage.pool.query('SELECT id, post_id FROM delivery')
    const postOf = new Map(posts.map(({ id, post_id }) => [id, post_id]))
    expect(rows.map(({ id }) => postOf.get(id))).toEqual([1, null, 3])
    expect(await said(rows[0]?.id)).toEqual(['plan queued', 'reserve created'])
    expect(await said(rows[1]?.id)).toEqual(['plan queued'])
  })

  test('each has its own lines at the times at which they were made', async () => {
    const { rows, ledgers } = await claimed(2)
    ledgers[0]?.defer('terms', 'resolved')
    await new Promise((resolve) => setTimeout(resolve, 300))
    await Promise.all(ledgers.map((ledger, n) => ledger.record('fill', `intended ${n}`)))
    expect(await said(rows[1]?.id)).toEqual(['plan queued', 'fill intended 1'])
    const [, deferred, recorded] = await linesOf(rows[0]?.id)
    expect([deferred?.outcome, recorded?.outcome]).toEqual(['resolved', 'intended 0'])
    expect(Number(recorded?.at) - Number(deferred?.at)).toBeGreaterThanOrEqual(250)
  })

  test('media of several are intended, recorded and read in one statement each', async () => {
    const { ledgers, asked } = await claimed(3)
    await Promise.all(ledgers.map((ledger, n) => ledger.intendMedia(`m${n}`, 'https://x.test/')))
    await Promise.all(ledgers.map((ledger, n) => ledger.recordMedia(`m${n}`, n + 7)))
    const media = await Promise.all(ledgers.map((ledger) => ledger.media()))
    expect(media.map((known) => [...known.values()])).toEqual(
      [0, 1, 2].map((n) => [{ marker: `m${n}`, intended: true, mediaId: n + 7 }]),
    )
    expect(asked).toHaveLength(3)
  })

  test('two writes of one delivery in one moment are both stored, in their order', async () => {
    const { rows, ledgers } = await claimed(2)
    const [ledger, other] = ledgers
    await Promise.all([
      ledger?.record('a', 'first'),
      other?.record('a', 'first'),
      ledger?.record('b', 'second'),
    ])
    expect(await said(rows[0]?.id)).toEqual(['plan queued', 'a first', 'b second'])
    expect(await said(rows[1]?.id)).toEqual(['plan queued', 'a first'])
  })

  test('what the database refuses of one costs the others nothing', async () => {
    const { rows, ledgers } = await claimed(3)
    await stage.pool.query(
      `CREATE OR REPLACE FUNCTION refuse_one() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         RAISE EXCEPTION 'not this one' USING ERRCODE = '22P05'; END $$;
       CREATE TRIGGER refuse_one BEFORE INSERT ON delivery_step FOR EACH ROW
         WHEN (NEW.delivery_id = '${rows[1]?.id}') EXECUTE FUNCTION refuse_one()`,
    )
    const ends = await Promise.allSettled(ledgers.map((ledger) => ledger.record('terms', 'resolved')))
    await stage.pool.query('DROP TRIGGER refuse_one ON delivery_step')
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await said(rows[0]?.id)).toEqual(['plan queued', 'terms resolved'])
    expect(await said(rows[1]?.id)).toEqual(['plan queued'])
    expect(await said(rows[2]?.id)).toEqual(['plan queued', 'terms resolved'])
  })

  test('what is delivered at once is settled in one statement, fenced row by row', async () => {
    const { rows, ledgers } = await claimed(3)
    await stage.pool.query('UPDATE delivery SET fence = fence + 1 WHERE id = $1', [rows[2]?.id])
    const { pool, asked } = counting()
    for (const ledger of ledgers) ledger.defer('verify', 'done')
    const context = { database: pool, timing: quickTiming }
    const ends = rows.map((row, n) =>
      settleDone(context, { row, ledger: ledgers[n] as Ledger, warnings: [] }),
    )
    expect(await Promise.all(ends)).toEqual(['done', 'done', 'fenced_off'])
    expect(asked).toHaveLength(1)
    const { rows: states } = await stage.pool.query('SELECT id, status, leased_by FROM delivery')
    const stateOf = new Map(states.map(({ id, status }) => [id, status]))
    expect(rows.map(({ id }) => stateOf.get(id))).toEqual(['delivered', 'delivered', 'delivering'])
    expect(await said(rows[0]?.id)).toEqual(['plan queued', 'verify done', 'deliver delivered'])
  })
})

describe('while a worker works', () => {
  beforeAll(async () => {
    stage = await startSimulated({
      concurrency: 2,
      timing: { exchangeMs: { read: 60_000, write: 60_000, upload: 60_000 } },
    })
    siteId = stage.sites[0]?.id as string
  })

  afterAll(() => stage.close())

  async function sendTogether(make: () => Promise<string[]>): Promise<string[]> {
    let sent: string[] = []
    await together(stage.pool, siteId, async () => {
      sent = await make()
    })
    return sent
  }

  const proxy = () => (stage.sites[0] as (typeof stage.sites)[number]).proxy

  test('what comes while something slow is under way is delivered before that ends', async () => {
    const news = new EventEmitter()
    const released = once(news, 'go on')
    let underWay = false
    const slow: Fault = {
      name: 'slow',
      async apply({ forward, reply }) {
        underWay = true
        await released
        reply(await forward())
      },
    }
    proxy().rule({ method: 'POST', where: ({ body }) => body.includes('slow one'), nth: 1 }, slow)
    const first = await stage.send(siteId, { title: 'A slow one' })
    await expect.poll(() => underWay).toBe(true)
    const second = await stage.send(siteId)
    expect(await settled(stage.galley, second)).toMatchObject({ status: 'delivered' })
    const { rows } = await stage.pool.query('SELECT status FROM delivery WHERE document_id = $1', [first])
    expect(rows[0].status).toBe('delivering')
    news.emit('go on')
    expect(await settled(stage.galley, first)).toMatchObject({ status: 'delivered' })
    proxy().clear()
  })

  test('one that fails costs those who were claimed with it nothing', async () => {
    const documents = await sendTogether(async () => {
      const sent = await send(6)
      await stage.pool.query(`UPDATE event SET body = '[]' WHERE document_id = $1`, [sent[2]])
      return sent
    })
    const ends = await Promise.all(documents.map((id) => settled(stage.galley, id)))
    expect(ends.map(({ status }) => status)).toEqual(
      documents.map((_, n) => (n === 2 ? 'failed' : 'delivered')),
    )
  })

  test('a site that fails one of many goes on with the others, and that one comes again', async () => {
    await watchPauses(stage.pool)
    // By itself, or it would fail those who go in one batch with it.
    await stage.pool.query(`UPDATE site SET settings = settings || '{"batch": "off"}'`)
    proxy().rule({ where: ({ body }) => body.includes('poisonous one') }, answer(pages.badGateway))
    const documents = await sendTogether(async () => [
      ...(await send(5)),
      await stage.send(siteId, { title: 'A poisonous one' }),
      ...(await send(5)),
    ])
    const poisoned = documents[5] as string
    const failed = () =>
      stage.pool.query('SELECT 1 FROM delivery WHERE document_id = $1 AND site_failed_at IS NOT NULL', [
        poisoned,
      ])
    await expect.poll(async () => (await failed()).rowCount).toBe(1)
    proxy().clear()
    for (const document of documents)
      expect(await settled(stage.galley, document)).toMatchObject({ error: null, status: 'delivered' })
    const { timeline } = await settled(stage.galley, poisoned)
    expect(timeline.map(({ outcome }) => outcome)).toContain('will_retry')
    expect(await pausesOf(stage.pool, siteId)).toEqual([])
  })

  test('ten documents of eight megabytes each find their room one after the other', async () => {
    const documents = await sendTogether(async () => {
      const sent = await send(10)
      await pad(sent, 8 * MEGABYTE)
      return sent
    })
    for (const document of documents) {
      const { status, timeline } = await settled(stage.galley, document)
      expect(status).toBe('delivered')
      // One attempt of each: nobody waited for room in vain.
      expect(timeline.filter(({ outcome }) => outcome === 'will_retry')).toEqual([])
    }
  })
})
