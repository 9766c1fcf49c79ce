import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { pino } from 'pino'
import { createAccount } from '../../src/accounts/accounts.ts'
import { type Database, openDatabase } from '../../src/database/client.ts'
import { NotificationSender } from '../../src/notifications/sender.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { generateSecretKey, type Keyring, openKeyring, parseSecretKeys } from '../../src/secrets/keyring.ts'
import { freshDatabase } from '../support/database/fresh-database.ts'
import { storeNotification } from './store.ts'

/** A request as a receiver saw it. */
interface Told {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Somebody who is told things, and answers as the test says. */
export interface Receiver {
  url: string
  told: Told[]
  /** How it answers from now on: with a status, or not at all. */
  answer: (response: ServerResponse, told: Told) => void
  close(): Promise<void>
}

export async function startReceiver(
  answer: Receiver['answer'] = (response) => response.end(),
): Promise<Receiver> {
  const receiver: Receiver = { url: '', told: [], answer, close: async () => undefined }
  const server = createServer(async (request, response) => {
    const told = { path: request.url ?? '', headers: request.headers, body: await buffer(request) }
    receiver.told.push(told)
    receiver.answer(response, told)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  receiver.close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return receiver
}

/** An attempt as it is kept. */
interface KeptAttempt {
  took_ms: number | null
  http_status: number | null
  error: { code: string; message: string } | null
  by_hand: boolean
}

/** A database with an account, and processes that send. */
export interface NotificationStage {
  database: Database
  connectionString: string
  keyring: Keyring
  accountId: string
  /** Starts another sender; it stops with the stage, or when the function it returns is called. */
  send(allowPrivate?: string[]): () => Promise<void>
  /** Puts one into the outbox. */
  tell(url: string, more?: { accountId?: string; body?: object }): Promise<string>
  /** One value of a row of `notification`, and what SQL makes of others. */
  look<Value>(id: string, expression: string): Promise<Value>
  attempts(id: string): Promise<KeptAttempt[]>
  /** Makes one due now, as the clock of the database would. */
  makeDue(id: string): Promise<void>
  stop(): Promise<void>
}

export async function startNotifications(): Promise<NotificationStage> {
  const { connectionString, drop } = await freshDatabase()
  const log = pino({ level: 'silent' })
  const database = openDatabase({ connectionString, poolSize: 12, log })
  const { pool } = database
  const keyring = openKeyring(parseSecretKeys(generateSecretKey(), 'this test'))
  const { account } = await createAccount(database.pool, { name: 'Owner' })
  const stops: (() => Promise<void>)[] = []
  return {
    database,
    connectionString,
    keyring,
    accountId: account.id,
    send(allowPrivate = ['127.0.0.0/8']) {
      const outbound = createOutbound({ allowPrivate, userAgent: 'Galley/test' })
      const stopping = new AbortController()
      const running = new NotificationSender({
        pool,
        outbound,
        keyring,
        log,
        publicUrl: () => 'https://galley.example.net',
      }).run(stopping.signal)
      const stop = async () => {
        stopping.abort()
        await running
        await outbound.close()
      }
      stops.push(stop)
      return stop
    },
    tell: (url, { accountId = account.id, body = { event: 'image.completed' } } = {}) =>
      storeNotification(pool, {
        accountId,
        event: 'image.completed',
        subjectId: '018f0000-0000-7000-8000-000000000000',
        url,
        body: JSON.stringify(body),
      }),
    async look(id, expression) {
      const { rows } = await pool.query(`SELECT ${expression} AS value FROM notification WHERE id = $1`, [id])
      return rows[0].value
    },
    async attempts(id) {
      const { rows } = await pool.query(
        `SELECT took_ms, http_status, error, by_hand FROM notification_attempt WHERE notification_id = $1 ORDER BY id`,
        [id],
      )
      return rows
    },
    async makeDue(id) {
      await pool.query(`UPDATE notification SET due_at = now() - interval '1 second' WHERE id = $1`, [id])
    },
    async stop() {
      for (const stop of stops) await stop()
      await database.close()
      await drop()
    },
  }
}
