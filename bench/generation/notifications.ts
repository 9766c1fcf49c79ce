import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'pg'
import { pino } from 'pino'
import { v7 as uuid } from 'uuid'
import { Sender } from '../../src/notifications/sender.ts'
import { createOutbound } from '../../src/outbound/index.ts'
import { openKeyring } from '../../src/secrets/index.ts'
import { createKey, parseKeys } from '../../src/secrets/keys.ts'

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
  const keyring = openKeyring(parseKeys(createKey(), 'the benchmark'))
  const stopping = new AbortController()
  const running = new Sender({ pool, outbound, keyring, log: pino({ level: 'silent' }) }).run(stopping.signal)
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
