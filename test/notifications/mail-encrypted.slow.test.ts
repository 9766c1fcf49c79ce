import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { SMTPServerOptions } from 'smtp-server'
import { v7 as uuid } from 'uuid'
import { afterEach, describe, expect, test } from 'vitest'
import { createLog } from '../../src/log/log.ts'
import { createMailer } from '../../src/notifications/mail/mailer.ts'
import type { MailSettings } from '../../src/notifications/mail/settings.ts'
import { type MailServer, refusal, startMailServer } from './mail-server.ts'
import { startNotifications } from './stage.ts'

const file = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}.pem`, import.meta.url))
const encrypted: SMTPServerOptions = {
  key: readFileSync(file('key')),
  cert: readFileSync(file('self-signed')),
  disabledCommands: [],
  authOptional: false,
}

let server: MailServer
afterEach(() => server.close())

const PASSWORD = 'Correct-Horse-9'
const logged: string[] = []
const log = createLog(
  { logLevel: 'trace' },
  new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk))
      done()
    },
  }),
)

async function send(more: Partial<MailSettings>, password = PASSWORD) {
  const settings: MailSettings = {
    host: 'localhost',
    port: server.port,
    tls: 'starttls',
    credentials: { user: 'galley', password },
    from: { name: 'Galley', address: 'galley@example.net' },
    ...more,
  }
  const item = { event: 'site.outage', at: '2026-01-01T12:00:00.000Z', data: { id: '1', name: 'S' } }
  const body = { event: 'site.outage', id: '1', created_at: item.at, receiver: { name: 'R' } }
  const told = { ...body, items: [item], counts: { 'site.outage': 1 } }
  return createMailer(
    settings,
    () => 'https://galley.example.net',
    log,
  )({ id: uuid(), url: 'mailto:ann@example.org', body: Buffer.from(JSON.stringify(told)), language: 'en' })
}

describe('nothing is said to a server', () => {
  test('whose certificate nobody trusts', async () => {
    server = await startMailServer(encrypted)
    expect(await send({})).toMatchObject({ error: { code: 'mail_not_encrypted' } })
    expect({ users: server.users, taken: server.taken }).toEqual({ users: [], taken: [] })
  })

  test('that encrypts from the first byte, with a certificate nobody trusts', async () => {
    server = await startMailServer({ ...encrypted, secure: true })
    expect(await send({ tls: 'implicit' })).toMatchObject({ error: { code: 'mail_not_encrypted' } })
    expect(server.users).toEqual([])
  })

  test('that cannot encrypt', async () => {
    server = await startMailServer()
    expect(await send({})).toMatchObject({ error: { code: 'mail_not_encrypted' } })
    expect({ users: server.users, taken: server.taken }).toEqual({ users: [], taken: [] })
  })
})

test('a password that is refused stands in no line of the log, nor in what an account is told', async () => {
  server = await startMailServer({
    onAuth: ({ password }, _session, done) => done(refusal(535, `password "${password}" is wrong`)),
  })
  const answer = await send({ tls: 'off' })
  expect(answer).toMatchObject({ error: { code: 'mail_login_refused' } })
  for (const text of [...logged, JSON.stringify(answer)]) {
    expect(text).not.toContain(PASSWORD)
    expect(text).not.toContain(Buffer.from(`\0galley\0${PASSWORD}`).toString('base64'))
  }
  expect(logged.length).toBeGreaterThan(0)
})

test('a server that takes the connection and says nothing is given up', async () => {
  server = await startMailServer({ onConnect: () => undefined })
  expect(await send({ tls: 'off' })).toMatchObject({ error: { code: 'mail_server_unreachable' } })
})

test.each([
  ['greets with a refusal', '554 not today\r\n', 'mail_refused'],
  ['speaks another protocol', 'HTTP/1.1 400 Bad Request\r\n', 'mail_server_unreachable'],
  ['greets without end', `220-${'x'.repeat(2_000_000)}`, 'mail_server_unreachable'],
])('of a server that %s nobody is told that it does not encrypt', async (_, greeting, code) => {
  server = await startMailServer()
  const other = createServer((socket) => socket.on('error', () => undefined).end(greeting))
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const { port } = other.address() as AddressInfo
  expect(await send({ tls: 'off', port })).toMatchObject({ error: { code } })
  other.close()
})

test.each(['starttls', 'implicit'])(
  'mail goes to a server whose certificate is trusted, by %s',
  async (tls) => {
    server = await startMailServer({ ...encrypted, secure: tls === 'implicit' })
    const stage = await startNotifications()
    const child: ChildProcess = spawn(
      process.execPath,
      [
        '--import',
        'tsx',
        fileURLToPath(new URL('./sends.ts', import.meta.url)),
        stage.connectionString,
        String(server.port),
        tls,
      ],
      { env: { ...process.env, NODE_EXTRA_CA_CERTS: file('self-signed') } },
    )
    try {
      await stage.database.pool.query(
        `WITH made AS (
         INSERT INTO receiver (id, account_id, name, kind, url, events, digest_minutes)
         VALUES (gen_random_uuid(), $1, 'R', 'email', 'mailto:ann@example.org', '{site.outage}', 5) RETURNING id
       )
       INSERT INTO digest_item (receiver_id, event, subject_id, data, due_at)
       SELECT id, 'site.outage', gen_random_uuid(), '{"id": "1", "name": "S"}', now() FROM made`,
        [stage.accountId],
      )
      await expect.poll(() => server.taken.length).toBe(1)
      expect(server.users).toEqual(['galley'])
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
      await stage.stop()
    }
  },
)
