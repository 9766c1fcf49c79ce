import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type SimulatedStage, startSimulated } from '../faults/stage/simulated.ts'
import { type MailServer, refusal, startMailServer } from '../notifications/mail-server.ts'

// Owners are mailed the link with which they connect their site again.

let server: MailServer
let stage: SimulatedStage
beforeAll(async () => {
  server = await startMailServer()
  stage = await startSimulated({
    sites: 1,
    concurrency: 1,
    config: {
      publicUrl: 'https://galley.example.net',
      mail: {
        host: '127.0.0.1',
        port: server.port,
        tls: 'off',
        credentials: undefined,
        from: { name: 'Galley', address: 'galley@example.net' },
      },
    },
  })
  await stage.pool.query(
    `UPDATE site SET trouble_since = '2026-11-27T14:02:00Z', name = 'Harbour' || chr(10) || 'News', trouble = $1`,
    [
      {
        code: 'password_wrong',
        message:
          'harbour.example does not accept the password. It may belong to another user, or have been revoked: connect the site again with the user’s login name and a new application password.',
      },
    ],
  )
  for (const status of ['queued', 'held'])
    await stage.pool.query(
      `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at, error)
       SELECT gen_random_uuid(), account_id, id, gen_random_uuid(), gen_random_uuid(), $1, CASE WHEN $1 = 'queued' THEN now() END,
         CASE WHEN $1 = 'held' THEN trouble END FROM site`,
      [status],
    )
})
beforeEach(() => {
  server.taken.length = 0
  server.onMail = () => undefined
})
afterAll(async () => {
  await stage.close()
  await server.close()
})

interface Made {
  data: {
    link: string
    mailed: { to: string | null; problem: { code: string; message: string } | null } | null
  }
}

async function makeLink(): Promise<Made['data']> {
  const [{ id, url }] = (await stage.pool.query('SELECT id, url FROM site')).rows
  const body = { id, url, mail_owner: true, asked_by: 'Acme Agency' }
  const made = await stage.galley.call<Made>('POST', '/v1/connect-links', body)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body.data
}

const setOwner = async (owner_email: string | null) => {
  const [{ id }] = (await stage.pool.query('SELECT id FROM site')).rows
  return stage.galley.call('PATCH', `/v1/sites/${id}`, { owner_email })
}

test('an owner reads what stopped, since when, how many documents wait, and the link', async () => {
  expect(await setOwner('owner@harbour.example')).toMatchObject({
    status: 200,
    body: { data: { owner_email: 'owner@harbour.example' } },
  })
  const { link, mailed } = await makeLink()
  expect(mailed).toEqual({ to: 'owner@harbour.example', problem: null })
  const [taken] = server.taken
  expect(taken?.to).toEqual(['owner@harbour.example'])
  expect(taken?.mail.subject).toBe('Please connect Harbour News again: 2 documents are waiting')
  const text = taken?.mail.text ?? ''
  for (const words of [
    'Acme Agency cannot deliver to Harbour News',
    'since 27 November 2026 at 14:02 UTC',
    'harbour.example does not accept the password.',
    '2 documents are waiting.',
    link,
    'The link works once, until ',
  ])
    expect(text).toContain(words)
  expect(text).not.toContain('connect the site again with the user')
  expect(taken?.mail.html).toContain(`<a href="${link}">`)
  const kept = await stage.pool.query(
    `SELECT FROM notification WHERE convert_from(body, 'UTF8') LIKE '%/connect/%'`,
  )
  expect(kept.rows).toEqual([])
})

test('a site without an address, and a mail that is refused, say so beside the link', async () => {
  server.onMail = () => {
    throw refusal(550, 'no such mailbox')
  }
  const refused = await makeLink()
  expect(refused.link).toMatch(/\/connect\/\w+$/)
  expect(refused.mailed).toMatchObject({ to: null, problem: { code: 'mail_refused' } })
  await setOwner(null)
  expect((await makeLink()).mailed).toMatchObject({ to: null, problem: { code: 'owner_email_missing' } })
  expect(await setOwner('not an address')).toMatchObject({ status: 422 })
})

interface BulkAnswer {
  id: string
  data: { ended_at: string | null; done: number; reasons: { code: string; message: string }[] }
}

/** What a bulk job did with all sites that do not accept their password. */
async function mailAll(dry_run: boolean): Promise<BulkAnswer['data']> {
  const { call } = stage.galley
  const filter = { trouble: 'password_wrong' }
  const started = await call<BulkAnswer>('POST', '/v1/bulk', { action: 'mail_owner', filter, dry_run })
  expect(started.status, JSON.stringify(started.body)).toBe(202)
  const read = async () => (await call<BulkAnswer>('GET', `/v1/bulk/${started.body.id}`)).body.data
  await expect.poll(async () => (await read()).ended_at).not.toBeNull()
  return read()
}

test('all owners of sites with the same cause are mailed by one job, which says who was not', async () => {
  const openLinks = async () =>
    (await stage.pool.query('SELECT FROM connect_link WHERE revoked_at IS NULL')).rowCount
  const before = await openLinks()
  await setOwner(null)
  expect(await mailAll(true)).toMatchObject({ done: 0, reasons: [{ code: 'OWNER_EMAIL_MISSING' }] })
  await setOwner('owner@harbour.example')
  expect(await mailAll(true)).toMatchObject({ done: 1, reasons: [] })
  expect([server.taken.length, await openLinks()]).toEqual([0, before])
  server.onMail = () => {
    throw refusal(550, 'no such mailbox')
  }
  expect(await mailAll(false)).toMatchObject({ done: 0, reasons: [{ code: 'MAIL_REFUSED' }] })
  // Nobody has the link that was not sent.
  expect(await openLinks()).toBe(before)
  server.onMail = () => undefined
  expect(await mailAll(false)).toMatchObject({ done: 1, reasons: [] })
  expect(server.taken.at(-1)?.to).toEqual(['owner@harbour.example'])
  expect(await openLinks()).toBe((before ?? 0) + 1)
  const [path] = /\/connect\/\w+/.exec(server.taken.at(-1)?.mail.text ?? '') ?? []
  const page = await fetch(`${stage.galley.url}${path}`)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('asks to connect')])
})
