import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { pino } from 'pino'
import { v7 as uuid } from 'uuid'
import { NotificationSender } from '../../src/notifications/sender.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { createApiKey, generateSecretKey, openKeyring, parseSecretKeys } from '../../src/secrets/keyring.ts'
import type { Scale } from '../benchmark.ts'
import { startGalley } from '../support/galley.ts'
import type { Postgres } from '../support/postgres.ts'

/** Milliseconds that each answer took, from the moment its request was due to be sent. */
export interface StatusTimes {
  /** Of the status of a finished document. */
  status: number[]
  /** Of an answer that nothing is looked up for. */
  health: number[]
}

/** Asks for both in turn, so many times a second each for so long. */
export async function statusTimes(
  scale: Scale,
  { database, folder }: Postgres,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<StatusTimes> {
  const connectionString = await database()
  const key = createApiKey()
  const settings = {
    DATABASE_URL: connectionString,
    GALLEY_SECRET_KEYS: generateSecretKey(),
    GALLEY_ADMIN_KEY: key,
    GALLEY_REQUESTS_PER_MINUTE: '0',
  }
  const galley = await startGalley(scale, settings, join(folder, 'status.log'))
  try {
    const headers = { authorization: `Bearer ${key}` }
    const ask = (path: string) => () => fetch(`${galley.url}${path}`, { headers })
    const status = ask(`/v1/document/status/${await finished(connectionString)}`)
    const health = ask('/healthz')
    for (const one of [health, status]) await steadily(one, { perSecond, seconds: seconds / 5 })
    return {
      health: await steadily(health, { perSecond, seconds }),
      status: await steadily(status, { perSecond, seconds }),
    }
  } finally {
    await galley.stop()
  }
}

/** @returns the id of a finished document of about 1,000 words */
async function finished(connectionString: string): Promise<string> {
  const pool = new Pool({ connectionString, max: 1 })
  try {
    const id = randomUUID()
    const text = 'Six letters. '.repeat(40)
    const content = Array.from({ length: 12 }, () => ({
      type: 'paragraph',
      content: [{ type: 'text', text }],
    }))
    await pool.query(
      `INSERT INTO generation_job (id, account_id, kind, request, status, price, request_digest, result, due_at, ended_at)
       SELECT $1, id, 'document', '{}', 'completed', 0, '', $2, NULL, now() FROM account LIMIT 1`,
      [id, JSON.stringify({ title: 'A document', description: 'It is.', content: { content } })],
    )
    return id
  } finally {
    await pool.end()
  }
}

async function steadily(
  ask: () => Promise<Response>,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<number[]> {
  const took: number[] = []
  const asked: Promise<void>[] = []
  const began = performance.now()
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const due = began + (n * 1_000) / perSecond
    if (due > performance.now()) await sleep(due - performance.now())
    asked.push(
      ask().then(async (response) => {
        await response.arrayBuffer()
        if (!response.ok) throw new Error(`the answer was ${response.status}`)
        took.push(performance.now() - due)
      }),
    )
  }
  await Promise.all(asked)
  return took
}

/** Connections of the sender's pool. */
const POOL = 10

/**
 * Sends notifications that become due one after the other, evenly, to a receiver on loopback.
 *
 * @returns milliseconds from the moment each was due to its arrival; below zero for one that came early
 */
export async function latenessOf(
  connectionString: string,
  { notifications, seconds }: { notifications: number; seconds: number },
): Promise<number[]> {
  const arrived = new Map<string, number>()
  const receiver = createServer((request, response) => {
    arrived.set(String(request.headers['webhook-id']), Date.now())
    request.resume().on('end', () => response.end())
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const pool = new Pool({ connectionString, max: POOL })
  const outbound = createOutbound({ allowPrivate: ['127.0.0.0/8'], userAgent: 'benchmark' })
  const keyring = openKeyring(parseSecretKeys(generateSecretKey(), 'the benchmark'))
  const stopping = new AbortController()
  const running = new NotificationSender({
    pool,
    outbound,
    keyring,
    publicUrl: () => 'https://galley.example',
    log: pino({ level: 'silent' }),
  }).run(stopping.signal)
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const due = await store(pool, url, { notifications, seconds })
    while (arrived.size < notifications) await sleep(50)
    return [...due].map(([id, at]) => (arrived.get(id) as number) - at)
  } finally {
    stopping.abort()
    await running
    await outbound.close()
    await pool.end()
    receiver.closeAllConnections()
    receiver.close()
  }
}

/** @returns when each is due, as `Date.now()` counts, by its id: both clocks are this machine's */
async function store(
  pool: Pool,
  url: string,
  { notifications, seconds }: { notifications: number; seconds: number },
): Promise<Map<string, number>> {
  const account = uuid()
  await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'benchmark')`, [account])
  const { rows } = await pool.query<{ id: string; due_at: Date }>(
    `INSERT INTO notification (id, account_id, event, subject_id, url, body, due_at)
     SELECT id, $1, 'image.completed', id, $2, convert_to('{"event":"image.completed"}', 'UTF8'),
       now() + interval '1 second' + place * $4::float8 / $5::int * interval '1 second'
     FROM unnest($3::uuid[]) WITH ORDINALITY AS made (id, place) RETURNING id, due_at`,
    [account, url, Array.from({ length: notifications }, () => uuid()), seconds, notifications],
  )
  return new Map(rows.map(({ id, due_at: at }) => [id, at.getTime()]))
}
