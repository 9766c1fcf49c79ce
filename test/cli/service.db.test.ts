import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { someProviders } from '../generation/providers.ts'
import { startApp, type TestApp } from '../http/app.ts'
import { workOnImport } from '../sites/run-import.ts'
import { completed } from '../support/webhooks.ts'
import { run } from './world.ts'

// Commands on a real service: what people see, and what they change.

let app: TestApp
let siteId: string
beforeAll(async () => {
  app = await startApp({ requestsPerMinute: 0 }, undefined, undefined, someProviders)
  siteId = randomUUID()
  await app.database.prisma.site.create({
    data: {
      id: siteId,
      accountId: app.owner.id,
      name: 'Tides \u001b[31mweekly',
      url: 'https://tides.example',
      restRoot: 'https://tides.example/wp-json/',
      username: 'galley',
      applicationPassword: 'unused',
    },
  })
})
afterAll(() => app.stop())

const galley = (args: string[], input = '', columns?: number) =>
  run(args, { env: { GALLEY_URL: app.url, GALLEY_KEY: app.owner.key }, input, columns })
const NOTHING = randomUUID()
const asJson = async (args: string[]) => JSON.parse((await galley([...args, '--json'])).out)

test('sites are listed, shown, labelled, paused and resumed', async () => {
  expect(await galley(['sites', 'list'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('Tides \\u{1b}[31mweekly'),
  })
  expect((await galley(['sites', 'show', siteId])).out).toMatch(/^address +https:\/\/tides\.example$/m)
  await galley(['sites', 'label', siteId, 'news,english', 'tides'])
  expect(await asJson(['sites', 'list', '--label', 'tides'])).toMatchObject({
    success: true,
    data: [{ id: siteId, labels: ['news', 'english', 'tides'] }],
    next_cursor: null,
  })
  expect((await galley(['sites', 'list', '--label', 'none'])).out.split('\n')).toHaveLength(2)
  expect(await galley(['sites', 'pause', siteId, '--reason', 'moving'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('is paused'),
  })
  expect(await asJson(['sites', 'show', siteId])).toMatchObject({
    data: { state: 'paused', stopped: { reason: 'moving' } },
  })
  expect(await galley(['sites', 'resume', siteId])).toMatchObject({ code: 0 })
})

test('a site that cannot be reached is not added, and lines that are refused end an import with 7', async () => {
  const added = await run(
    ['sites', 'add', 'http://127.0.0.1:9', '--username', 'editor', '--password-file', '-', '--url', app.url],
    {
      env: { GALLEY_KEY: app.owner.key },
      input: 'abcd efgh ijkl mnop qrst uvwx\n',
    },
  )
  expect(added).toMatchObject({ code: 2, out: '', err: expect.stringContaining('127.0.0.1:9') })
  const csv = 'url,username,application_password\nhttp://127.0.0.1:9,editor,abcd efgh ijkl mnop qrst uvwx\n'
  const begin = async (file: string, ...more: string[]) => {
    const { data } = JSON.parse((await galley(['imports', 'create', '-', '--json', ...more], file)).out)
    await workOnImport(app, data.id)
    return galley(['imports', 'show', data.id, '--watch'])
  }
  expect(await begin(csv)).toMatchObject({
    code: 7,
    out: expect.stringMatching(/^2 +refused/m),
    err: expect.stringContaining('refused: 1'),
  })
  const tried = await begin(
    csv.replaceAll('\n', ',"news,daily"\n').replace('"news,daily"', 'labels'),
    '--dry-run',
  )
  expect(tried).toMatchObject({ code: 7, out: expect.stringMatching(/^2 +would be refused +news, daily/m) })
  expect(tried.err).toContain('Lines that would be refused: 1.')
  expect(tried.err).toContain('nothing was stored')
  expect(tried.err).not.toContain('are skipped')
})

test('a page of a list is no border: --limit asks for more than one', async () => {
  for (let n = 0; n < 3; n += 1) await galley(['keys', 'create', `many ${n}`])
  const { out, err } = await galley(['keys', 'list', '--limit', '2'])
  expect(out.trimEnd().split('\n')).toHaveLength(3)
  expect(err).toContain('There are more')
  expect(await galley(['keys', 'list', '--limit', 'x'])).toMatchObject({ code: 2 })
})

test('a key is made, opens Galley from a file, and opens nothing once it is revoked', async () => {
  const { data } = await asJson(['keys', 'create', 'dashboard'])
  const asked = () => run(['keys', 'list', '--key-file', '-', '--url', app.url], { input: `${data.key}\n` })
  expect(await asked()).toMatchObject({ code: 0, out: expect.stringContaining('dashboard') })
  expect(await galley(['keys', 'revoke', data.id])).toMatchObject({ code: 0 })
  expect(await asked()).toMatchObject({ code: 3, out: '' })
  expect(await galley(['keys', 'revoke', randomUUID()])).toMatchObject({ code: 4 })
})

test('another key takes the place of one, which ends at once where it is told to', async () => {
  const { data: old } = await asJson(['keys', 'create', 'feed', '--role', 'manager'])
  const rotated = await galley(['keys', 'rotate', old.id, '--overlap', '48'])
  expect(rotated).toMatchObject({ code: 0, out: expect.stringMatching(/^old key until +\d/m) })
  const opens = async (key: string) =>
    (await run(['sites', 'list', '--key-file', '-', '--url', app.url], { input: `${key}\n` })).code === 0
  const { data: next } = await asJson(['keys', 'rotate', old.id, '--overlap', '0'])
  expect([await opens(old.key), await opens(next.key)]).toEqual([false, true])
  expect(next).toMatchObject({ name: 'feed', role: 'manager', previous_key_until: null })
  expect((await galley(['keys', 'rotate', old.id, '--overlap', 'soon'])).code).toBe(2)
})

test('sources are created, rotated, disabled and removed', async () => {
  const { data } = await asJson(['sources', 'create', 'generator', '--signed'])
  expect(data).toMatchObject({
    name: 'generator',
    signed: true,
    signing_secret: expect.stringMatching(/^whsec_/),
  })
  const rotated = await galley(['sources', 'rotate', data.id, '--overlap', '24'])
  expect(rotated).toMatchObject({ code: 0, out: expect.stringContaining('/v1/webhooks/') })
  expect((await galley(['sources', 'disable', data.id])).out).toBe('generator no longer accepts documents.\n')
  expect(await asJson(['sources', 'list'])).toMatchObject({ data: [{ id: data.id, disabled: true }] })
  expect((await galley(['sources', 'enable', data.id])).code).toBe(0)
  expect((await galley(['sources', 'remove', data.id])).code).toBe(0)
  expect((await galley(['sources', 'rotate', data.id])).code).toBe(4)
})

test('a delivery is shown, retried and cancelled, and a wait for it ends with 7', async () => {
  const { data: source } = await asJson(['sources', 'create', 'tides'])
  await app.ask('POST', new URL(source.url).pathname, { key: undefined, body: completed({ siteId }) })
  const [{ id }] = (await asJson(['deliveries', 'list', '--site', siteId])).data
  expect((await galley(['deliveries', 'show', id], '', 80)).out).toMatch(/^status +queued$/m)
  expect(await galley(['deliveries', 'release', id])).toMatchObject({
    code: 6,
    err: expect.stringContaining('waits for nobody'),
  })
  expect((await galley(['deliveries', 'retry', id])).code).toBe(0)
  expect((await galley(['deliveries', 'cancel', id])).out).toMatch(/^status +cancelled$/m)
  expect(await galley(['deliveries', 'watch', id])).toMatchObject({
    code: 7,
    out: expect.stringContaining('cancelled'),
  })
  const withdraw = ['deliveries', 'withdraw', id, '--to', 'trash']
  expect(await galley(withdraw)).toMatchObject({ code: 6, err: expect.stringContaining('has no post') })
  await app.database.pool.query("UPDATE delivery SET post_id = 1, post_type = 'posts' WHERE id = $1", [id])
  expect((await galley(withdraw)).out).toMatch(/^withdraw to +trash$/m)
  await app.database.pool.query("UPDATE delivery SET status = 'withdrawn', due_at = NULL WHERE id = $1", [id])
  expect(await galley(['deliveries', 'watch', id])).toMatchObject({ code: 0 })
  expect((await galley(['deliveries', 'show', randomUUID()])).code).toBe(4)
})

test('a wait for an undo ends with 0 where the text is back, and with 7 where nothing was put back', async () => {
  const { data: source } = await asJson(['sources', 'create', 'undone'])
  await app.ask('POST', new URL(source.url).pathname, { key: undefined, body: completed({ siteId }) })
  const [{ id }] = (await asJson(['deliveries', 'list', '--source', source.id])).data
  for (const [end, code] of [
    ['kept', 0],
    ['delivered', 7],
  ] as const) {
    await app.database.pool.query(
      `UPDATE delivery SET status = 'delivered', due_at = NULL, post_id = 1, post_type = 'posts', answered = '{}',
         replaced = jsonb_build_object('eventId', wanted_event_id), undo_until = now() + interval '1 hour' WHERE id = $1`,
      [id],
    )
    const note = (line: string) => {
      if (!line.startsWith('queued')) return
      void app.database.pool.query('UPDATE delivery SET status = $2, due_at = NULL WHERE id = $1', [id, end])
    }
    const undo = ['deliveries', 'undo', id, '--watch', '--key', app.owner.key, '--url', app.url]
    expect(await run(undo, { note })).toMatchObject({ code, out: expect.stringContaining(end) })
  }
})

test('an option that a shell has left empty is refused, where it would choose everything', async () => {
  for (const args of [
    ['keys', 'create', 'wide', '--site', ''],
    ['keys', 'create', 'wide', '--label', ' , '],
    ['export', 'deliveries', '--status', ''],
    ['deliveries', 'list', '--site', ''],
    ['sites', 'label', siteId, ''],
  ])
    expect(await galley(args)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('It is empty'),
    })
  expect((await galley(['keys', 'list'])).out).not.toContain('wide')
})

test('a wait for the deliveries to many sites stays within the limit of requests', async () => {
  const limited = await startApp({ requestsPerMinute: 20 })
  const { key, id: accountId } = limited.owner
  await limited.database.pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, labels, updated_at)
     SELECT gen_random_uuid(), $1, 'A site', 'https://' || n || '.example', 'https://' || n || '.example/wp-json/', 'galley',
       'unused', '{news}', now() FROM generate_series(1, 30) AS n`,
    [accountId],
  )
  const deliver = ['deliver', '-', '--label', 'news', '--watch', '--key', key, '--url', limited.url]
  const lines: string[] = []
  const note = (line: string) => {
    lines.push(line)
    if (!line.startsWith('Under way: 30')) return
    void limited.database.pool.query(`UPDATE delivery SET status = 'delivered', due_at = NULL`)
  }
  const { code, out } = await run(deliver, { input: JSON.stringify(completed({ siteId })), note })
  expect(lines.slice(-2)).toEqual(['Under way: 30 of 30', 'Under way: 0 of 30'])
  expect(out.match(/ delivered$/gm)).toHaveLength(30)
  expect(code).toBe(0)
  await limited.stop()
})

test('a job is created once under its name, and found by its id alone', async () => {
  for (const [kind, text] of [
    ['document', 'Why the tide comes twice a day'],
    ['audio', 'The sea rises and falls.'],
    ['image', 'A harbour at low water'],
  ] as const) {
    const args = ['jobs', 'create', kind, text, '--idempotency-key', `tide-${kind}`]
    const { id } = await asJson(args)
    expect(await asJson(args)).toEqual({ success: true, id })
    expect((await galley(['jobs', 'show', id])).out).toMatch(new RegExp(`^kind +${kind}$`, 'm'))
  }
  const cancelled = await galley(['jobs', 'create', 'image', 'A harbour at low water', '--json'])
  const { id } = JSON.parse(cancelled.out)
  expect((await galley(['jobs', 'cancel', id])).out).toMatch(/^status +cancelled$/m)
  expect((await galley(['jobs', 'show', id, '--watch'])).code).toBe(7)
  expect((await galley(['jobs', 'show', randomUUID()])).code).toBe(4)
  expect((await galley(['jobs', 'create', 'video', 'x'])).code).toBe(2)
  expect((await galley(['jobs', 'create', 'document'])).code).toBe(2)
  await app.database.pool.query('UPDATE account SET unlimited = false')
  expect((await galley(['jobs', 'create', 'image', 'A harbour at low water'])).code).toBe(6)
  await app.database.pool.query('UPDATE account SET unlimited = true')
})

test('a preview needs a site or a label', async () => {
  const document = JSON.stringify(completed())
  expect(await galley(['preview', '-'], document)).toMatchObject({
    code: 2,
    err: expect.stringContaining('--site'),
  })
  expect(await galley(['preview', '-', '--label', 'nowhere'], document)).toMatchObject({ code: 4 })
})

test.each<[string[], number, RegExp]>([
  [['sites', '--state', 'wrong'], 2, /\s--state: must be "needs_you"/],
  [['sites', 'list', '--limit', '0'], 2, /^--limit wants a whole number from 1 to 999999, and not 0\.$/],
  [['deliveries', 'list', '--created-from', 'noon'], 2, /\s--created-from: /],
  [['deliveries', 'list', '--document', 'x'.repeat(256)], 2, /\s--document: /],
  [['keys', 'create', 'x', '--role', 'boss'], 2, /\s--role: must be "operator"/],
  [['jobs', 'create', 'document', 'tides'], 2, /\sprompt: must have at least 10 characters/],
  [['sites', 'show', 'abc'], 4, /^What was named is not an id that Galley issues/],
  [['deliveries', 'show', ''], 4, /^What was named is not an id that Galley issues/],
  [['bulk', 'show', NOTHING], 4, /^There is no bulk job/],
  [['jobs', 'show', NOTHING], 4, /^This account has no job/],
  [['sites', 'add', 'https://example.com', '--username', 'ed'], 2, /--password-file FILE/],
  [['deliver', '-', '--site', randomUUID()], 4, /\s--site: is not a site of this account/],
  [['deliver', '-', '--label', 'nobody'], 4, /\s--label: names no site of this account/],
  [['deliver', '-', '--label', 'nobody', '--id', ' '], 2, /\s--id: /],
  [['sites', 'check', NOTHING, '--label', 'news'], 2, /^Name a site, or a label/],
])('%j ends with %i, in words of the command line', async (args, code, sentence) => {
  const ran = await galley(args, JSON.stringify(completed()))
  expect(ran).toMatchObject({ code, out: '' })
  expect(ran.err.trimEnd()).toMatch(sentence)
  expect(ran.err).not.toMatch(/\b(?:query|body)\.|address/)
})
