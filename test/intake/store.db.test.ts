import { createHash, randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claimNext } from '../../src/delivery/ledger/claim.ts'
import { type IncomingEvent, IntakeBatcher, storeEvents } from '../../src/intake/store.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

const lines: Record<string, unknown>[] = []
const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) })

let database: FreshDatabase
let pool: Pool
const accountId = randomUUID()
const sourceId = randomUUID()
const siteId = randomUUID()

beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 10 })
  await addAccount({ accountId, sourceId })
})

/** An account with a source, and with a site under the id that all of them use. */
async function addAccount({ accountId, sourceId }: { accountId: string; sourceId: string }): Promise<void> {
  await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'test')`, [accountId])
  await pool.query(
    `INSERT INTO source (id, account_id, name, token_hash) VALUES ($1::uuid, $2, 'test', $1::text)`,
    [sourceId, accountId],
  )
  await addSite(accountId, siteId)
}

const addSite = (accountId: string, id: string): Promise<unknown> =>
  pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at)
     VALUES ($1, $2, 'test', 'https://example.test', 'https://example.test/wp-json/', 'u', 'p', now())`,
    [id, accountId],
  )

afterAll(async () => {
  await pool.end()
  await database.drop()
})

function incoming(
  text: string,
  {
    documentId = randomUUID(),
    site = siteId,
    sender = { accountId, sourceId },
  }: { documentId?: string; site?: string; sender?: { accountId: string; sourceId: string } } = {},
): IncomingEvent {
  const body = Buffer.from(text)
  return {
    eventId: randomUUID(),
    ...sender,
    kind: 'document.completed',
    documentId,
    status: 'planned',
    issues: [],
    digest: createHash('sha256').update(body).digest(),
    body,
    plans: [{ deliveryId: randomUUID(), siteId: site }],
  }
}

const one = async <Row>(sql: string, values: unknown[]): Promise<Row> =>
  (await pool.query(sql, values)).rows[0]

const jobsOf = async (site: string): Promise<unknown[]> =>
  (
    await pool.query('SELECT * FROM graphile_worker.jobs WHERE key = $1', [
      `site_worker:${accountId}:${site}`,
    ])
  ).rows

describe('an event', () => {
  test('is stored with its delivery, its first step and the job of its site', async () => {
    const event = incoming('first')
    expect(await storeEvents(pool, [event])).toMatchObject([{ eventId: event.eventId, duplicate: false }])
    const delivery = await one<Record<string, unknown>>('SELECT * FROM delivery WHERE document_id = $1', [
      event.documentId,
    ])
    expect(delivery).toMatchObject({
      status: 'queued',
      wanted_event_id: event.eventId,
      site_id: siteId,
      fence: 0,
    })
    const step = await one<Record<string, unknown>>('SELECT * FROM delivery_step WHERE delivery_id = $1', [
      delivery.id,
    ])
    expect(step).toMatchObject({ step: 'plan', outcome: 'queued' })
    expect(await jobsOf(siteId)).toMatchObject([
      { task_identifier: 'site_worker', queue_name: null, revision: 0 },
    ])
  })

  test('leaves a job that waits already as it is, and makes a new one beside a job that runs', async () => {
    await storeEvents(pool, [incoming('one job waits')])
    expect(await jobsOf(siteId)).toMatchObject([{ revision: 0 }])
    await pool.query(`UPDATE graphile_worker._private_jobs SET locked_at = now(), locked_by = 'somebody'`)
    await storeEvents(pool, [incoming('the job runs')])
    expect(await jobsOf(siteId)).toMatchObject([{ revision: 0, locked_at: null }])
  })

  test('adds no job while a process works on its site and has more of it to do', async () => {
    const site = randomUUID()
    await addSite(accountId, site)
    await storeEvents(pool, [incoming('of a site of its own', { site })])
    await pool.query('DELETE FROM graphile_worker._private_jobs')
    const claimed = await claimNext(pool, { siteId: site, accountId, worker: 'a process', leaseS: 60 })
    expect(claimed).toHaveLength(1)
    await storeEvents(pool, [incoming('while nothing else waits', { site })])
    expect(await jobsOf(site)).toHaveLength(1)
    await pool.query('DELETE FROM graphile_worker._private_jobs')
    await storeEvents(pool, [incoming('while another waits', { site })])
    expect(await jobsOf(site)).toEqual([])
  })

  test('that comes again adds nothing', async () => {
    const event = incoming('twice')
    await storeEvents(pool, [event])
    const again = incoming('twice', { documentId: event.documentId as string })
    expect(await storeEvents(pool, [again])).toMatchObject([{ eventId: again.eventId, duplicate: true }])
    const { count } = await one<{ count: string }>('SELECT count(*) FROM event WHERE document_id = $1', [
      event.documentId,
    ])
    expect(count).toBe('1')
  })

  test.each([
    ['failed and whose body was purged', `status = 'failed'`, { duplicate: false }, 'queued', 'twice'],
    [
      'was delivered and whose body was purged',
      `status = 'delivered'`,
      { duplicate: true },
      'delivered',
      null,
    ],
  ])('that comes again for a delivery that %s', async (_, state, answer, status, body) => {
    const event = incoming(`twice ${status}`)
    await storeEvents(pool, [event])
    await pool.query(`UPDATE delivery SET ${state} WHERE document_id = $1`, [event.documentId])
    await pool.query('UPDATE event SET body = NULL WHERE id = $1', [event.eventId])
    const again = { ...incoming(`twice ${status}`), documentId: event.documentId }
    const eventId = answer.duplicate ? again.eventId : event.eventId
    expect(await storeEvents(pool, [again])).toMatchObject([{ eventId, ...answer }])
    const delivery = await one('SELECT status, wanted_event_id FROM delivery WHERE document_id = $1', [
      event.documentId,
    ])
    expect(delivery).toEqual({ status, wanted_event_id: event.eventId })
    const stored = await one<{ body: Buffer | null }>('SELECT body FROM event WHERE id = $1', [event.eventId])
    expect(stored.body?.toString() ?? null).toBe(body === null ? null : `${body} ${status}`)
  })

  test('that could not be used and now can is planned when it comes again', async () => {
    const event = incoming('read at last')
    const unread = { ...event, kind: null, documentId: null, status: 'unusable', plans: [] } as const
    await storeEvents(pool, [{ ...unread, issues: [{ path: 'event', message: 'unknown' }] }])
    const again = { ...event, eventId: randomUUID() }
    expect(await storeEvents(pool, [again])).toMatchObject([{ eventId: event.eventId, duplicate: false }])
    expect(await storeEvents(pool, [again])).toMatchObject([{ eventId: again.eventId, duplicate: true }])
    const stored = await one('SELECT status, issues, document_id FROM event WHERE id = $1', [event.eventId])
    expect(stored).toEqual({ status: 'planned', issues: null, document_id: event.documentId })
    const delivery = await one('SELECT status, wanted_event_id FROM delivery WHERE document_id = $1', [
      event.documentId,
    ])
    expect(delivery).toEqual({ status: 'queued', wanted_event_id: event.eventId })
  })

  test('that is read at last does not push a newer one of its document aside', async () => {
    const old = incoming('old, unread')
    const unread = { ...old, kind: null, documentId: null, status: 'unusable', plans: [] } as const
    await storeEvents(pool, [{ ...unread, issues: [] }])
    const newer = incoming('newer', { documentId: old.documentId as string })
    await storeEvents(pool, [newer])
    await storeEvents(pool, [{ ...old, eventId: randomUUID() }])
    const delivery = await one('SELECT wanted_event_id FROM delivery WHERE document_id = $1', [
      old.documentId,
    ])
    expect(delivery).toEqual({ wanted_event_id: newer.eventId })
  })

  test('that another process stores while an older one waits stays wanted, though it was there first', async () => {
    const documentId = randomUUID()
    const [older, newer] = [incoming('waits', { documentId }), incoming('overtakes', { documentId })]
    // Somebody stores the same body just now: the older one has its number, and waits for how that ends.
    const somebody = await pool.connect()
    await somebody.query('BEGIN')
    await somebody.query(
      `INSERT INTO event (id, account_id, source_id, status, digest) VALUES ($1, $2, $3, 'kept', $4)`,
      [randomUUID(), accountId, sourceId, older.digest],
    )
    const stored = storeEvents(pool, [older])
    await expect
      .poll(async () => {
        const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
        return (await pool.query(waiting)).rowCount
      })
      .toBe(1)
    await storeEvents(pool, [newer])
    await somebody.query('ROLLBACK')
    somebody.release()
    expect(await stored).toMatchObject([{ duplicate: false }])
    const delivery = await one('SELECT wanted_event_id FROM delivery WHERE document_id = $1', [documentId])
    expect(delivery).toEqual({ wanted_event_id: newer.eventId })
  })

  test('is as old as its place among those that came with it', async () => {
    const batch = Array.from({ length: 32 }, (_, n) => incoming(`in a row ${n}`))
    await storeEvents(pool, batch)
    const { rows } = await pool.query<{ id: string }>(
      'SELECT id FROM event WHERE id = ANY ($1) ORDER BY seq',
      [batch.map(({ eventId }) => eventId)],
    )
    expect(rows.map(({ id }) => id)).toEqual(batch.map(({ eventId }) => eventId))
  })

  test('for a site that nobody connected is held and says so', async () => {
    const unknown = randomUUID()
    const event = incoming('unknown site', { site: unknown })
    await storeEvents(pool, [event])
    expect(await jobsOf(unknown)).toEqual([])
    const delivery = await one<Record<string, unknown>>('SELECT * FROM delivery WHERE document_id = $1', [
      event.documentId,
    ])
    expect(delivery).toMatchObject({
      status: 'held',
      due_at: null,
      error: { code: 'site_unknown', step: 'plan' },
    })
    expect((delivery.error as { message: string }).message).toContain(unknown)
  })

  test('with newer content makes the delivery want it, without a second delivery', async () => {
    const first = incoming('old content')
    await storeEvents(pool, [first])
    const second = incoming('new content', { documentId: first.documentId as string })
    await storeEvents(pool, [second])
    const { rows } = await pool.query('SELECT * FROM delivery WHERE document_id = $1', [first.documentId])
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ wanted_event_id: second.eventId, status: 'queued' })
  })

  test('leaves a delivery that is under way to its worker', async () => {
    const first = incoming('under way')
    await storeEvents(pool, [first])
    await pool.query(`UPDATE delivery SET status = 'delivering', fence = 7 WHERE document_id = $1`, [
      first.documentId,
    ])
    const second = incoming('under way, newer', { documentId: first.documentId as string })
    await storeEvents(pool, [second])
    const delivery = await one('SELECT * FROM delivery WHERE document_id = $1', [first.documentId])
    expect(delivery).toMatchObject({ status: 'delivering', fence: 7, wanted_event_id: second.eventId })
  })
})

test('two accounts with a site of the same id and the same document have a delivery and a job each', async () => {
  const other = { accountId: randomUUID(), sourceId: randomUUID() }
  await addAccount(other)
  await pool.query(`UPDATE site SET trouble = '{"code": "password_wrong"}' WHERE account_id = $1`, [
    accountId,
  ])
  await pool.query('DELETE FROM graphile_worker._private_jobs')
  const documentId = randomUUID()
  // In one batch of one statement, as in two.
  const both = [incoming('one id', { documentId }), incoming('one id', { documentId, sender: other })]
  expect(await storeEvents(pool, both)).toMatchObject([{ duplicate: false }, { duplicate: false }])
  const rows = async () =>
    (
      await pool.query(
        'SELECT account_id, status, wanted_event_id FROM delivery WHERE document_id = $1 ORDER BY status',
        [documentId],
      )
    ).rows
  expect(await rows()).toEqual([
    { account_id: accountId, status: 'held', wanted_event_id: both[0]?.eventId },
    { account_id: other.accountId, status: 'queued', wanted_event_id: both[1]?.eventId },
  ])
  await pool.query('UPDATE site SET trouble = NULL')
  const newer = incoming('one id, newer', { documentId })
  await storeEvents(pool, [newer])
  expect(await rows()).toMatchObject([
    { status: 'queued', wanted_event_id: expect.any(String) },
    { status: 'queued', wanted_event_id: expect.any(String) },
  ])
  const { rows: jobs } = await pool.query('SELECT key, queue_name FROM graphile_worker.jobs ORDER BY id')
  expect(jobs).toEqual(
    [other.accountId, accountId].map((account) => ({
      key: `site_worker:${account}:${siteId}`,
      queue_name: null,
    })),
  )
})

const WAITING_FOR_A_LOCK = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`

describe('the batcher', () => {
  test('stores a batch of many bodies, each under its own event', async () => {
    const batcher = new IntakeBatcher(pool, log)
    const events = Array.from({ length: 50 }, (_, n) => incoming(`body ${n} ${'é'.repeat(n)}`))
    await Promise.all(events.map((event) => batcher.store(event)))
    const { rows } = await pool.query<{ id: string; body: Buffer; digest: Buffer }>(
      'SELECT id, body, digest FROM event WHERE id = ANY($1)',
      [events.map(({ eventId }) => eventId)],
    )
    const stored = new Map(rows.map(({ id, body, digest }) => [id, { body, digest }]))
    for (const { eventId, body, digest } of events) expect(stored.get(eventId)).toEqual({ body, digest })
  })

  test('stores few documents at once that go to many sites each, and with them those of others', async () => {
    const batcher = new IntakeBatcher(pool, log)
    const large = Array.from({ length: 3 }, (_, n) => ({
      ...incoming(`to many sites ${n}`),
      plans: Array.from({ length: 400 }, () => ({ deliveryId: randomUUID(), siteId: randomUUID() })),
    }))
    const events = [...large, incoming('to one site')]
    await Promise.all(events.map((event) => batcher.store(event)))
    const { rows } = await pool.query<{ transaction: string; deliveries: number }>(
      `SELECT xmin::text AS transaction, count(*)::int AS deliveries FROM delivery
       WHERE wanted_event_id = ANY ($1) GROUP BY 1`,
      [events.map(({ eventId }) => eventId)],
    )
    expect(rows.map(({ deliveries }) => deliveries).sort()).toEqual([400, 801])
  })

  test('logs what is held at once as what is held later: a line of each, with its cause', async () => {
    await pool.query(`UPDATE site SET trouble = '{"code": "password_wrong", "message": ""}' WHERE id = $1`, [
      siteId,
    ])
    lines.length = 0
    const batcher = new IntakeBatcher(pool, log)
    const [waits, nowhere] = [incoming('for an owner'), incoming('for no site', { site: randomUUID() })]
    const kept = { ...incoming('asks for no delivery'), plans: [] }
    await Promise.all([waits, nowhere, kept].map((event) => batcher.store(event)))
    await batcher.store({ ...nowhere, eventId: randomUUID() })
    await pool.query('UPDATE site SET trouble = NULL')
    await batcher.store(incoming('for a site that serves'))
    const ended = { level: 30, msg: 'delivery ended', outcome: 'held' }
    const heldAs = ({ plans: [plan], documentId }: IncomingEvent, code: string) => ({
      ...ended,
      delivery: plan?.deliveryId,
      document: documentId,
      site: plan?.siteId,
      code,
    })
    expect(lines).toHaveLength(2)
    expect(lines).toEqual(
      expect.arrayContaining(
        [heldAs(waits, 'password_wrong'), heldAs(nowhere, 'site_unknown')].map((line) =>
          expect.objectContaining(line),
        ),
      ),
    )
  })

  test('queues one site worker of a site, however many of its documents it stores', async () => {
    const batcher = new IntakeBatcher(pool, log)
    await Promise.all(Array.from({ length: 30 }, (_, n) => batcher.store(incoming(`for one site ${n}`))))
    await expect
      .poll(
        async () =>
          (
            await pool.query('SELECT * FROM graphile_worker.jobs WHERE key = $1', [
              `site_worker:${accountId}:${siteId}`,
            ])
          ).rows,
      )
      .toMatchObject([{ task_identifier: 'site_worker', queue_name: null }])
  })

  test('makes one delivery of 100 copies that arrive at once, and calls 99 of them duplicates', async () => {
    const batcher = new IntakeBatcher(pool, log)
    const documentId = randomUUID()
    const copies = Array.from({ length: 100 }, () => incoming('a hundred copies', { documentId }))
    const stored = await Promise.all(copies.map((copy) => batcher.store(copy)))
    expect(stored.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
    const { count } = await one<{ count: string }>('SELECT count(*) FROM delivery WHERE document_id = $1', [
      documentId,
    ])
    expect(count).toBe('1')
  })

  test('keeps the newest of many versions of one document, in the order they came', async () => {
    const batcher = new IntakeBatcher(pool, log)
    const documentId = randomUUID()
    const versions = Array.from({ length: 20 }, (_, n) => incoming(`version ${n}`, { documentId }))
    await Promise.all(versions.map((version) => batcher.store(version)))
    const delivery = await one<{ wanted_event_id: string }>('SELECT * FROM delivery WHERE document_id = $1', [
      documentId,
    ])
    expect(delivery.wanted_event_id).toBe(versions.at(-1)?.eventId)
  })

  test('stores what two processes send at once without a deadlock', async () => {
    const batchers = [new IntakeBatcher(pool, log), new IntakeBatcher(pool, log)]
    const documents = Array.from({ length: 200 }, () => randomUUID())
    const events = documents.flatMap((documentId, n) =>
      batchers.map((batcher) => batcher.store(incoming(`shared ${n}`, { documentId }))),
    )
    const stored = await Promise.all(events)
    expect(stored.filter(({ duplicate }) => !duplicate)).toHaveLength(200)
  })

  test('stores what comes in the same moment in one statement', async () => {
    const counted = new Pool({ connectionString: database.connectionString, max: 5 })
    let statements = 0
    counted.on('acquire', () => {
      statements += 1
    })
    const batcher = new IntakeBatcher(counted, log)
    await Promise.all(Array.from({ length: 30 }, (_, n) => batcher.store(incoming(`in one moment ${n}`))))
    await counted.end()
    expect(statements).toBe(1)
  })

  test('stores one though the transaction before it is held up', async () => {
    const batcher = new IntakeBatcher(pool, log)
    const documentId = randomUUID()
    await batcher.store(incoming('first version', { documentId }))
    const other = await pool.connect()
    await other.query('BEGIN')
    await other.query('SELECT FROM delivery WHERE document_id = $1 FOR UPDATE', [documentId])
    const heldUp = batcher.store(incoming('second version', { documentId }))
    await expect.poll(async () => (await pool.query(WAITING_FOR_A_LOCK)).rowCount).toBe(1)
    expect(await batcher.store(incoming('of another document'))).toMatchObject({ duplicate: false })
    await other.query('ROLLBACK')
    other.release()
    await Promise.allSettled([heldUp])
  })

  test('rejects when the database does not take it, and goes on with the next', async () => {
    const batcher = new IntakeBatcher(pool, log)
    await expect(batcher.store({ ...incoming('bad'), accountId: randomUUID() })).rejects.toThrow(
      /foreign key/,
    )
    expect(await batcher.store(incoming('good'))).toMatchObject({ duplicate: false })
  })
})
