import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Client, Pool } from 'pg'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sites, startSites } from '../../../bench/support/simulator.ts'
import { addSites } from '../../../bench/support/sites.ts'
import { MODEL, type ScriptedProvider, startScriptedProvider } from '../../../demo/scripted-model.ts'
import { setFirstAccountCredits } from '../../../src/accounts/accounts.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { openDatabase } from '../../../src/database/client.ts'
import { named } from '../../../src/database/statement.ts'
import type { DeliveryFilter } from '../../../src/delivery/api/filter.ts'
import { walkPage } from '../../../src/delivery/api/index-walk.ts'
import { followAtOnce } from '../../../src/delivery/follow/follow.ts'
import { claimProbe, deliveryLeases } from '../../../src/delivery/ledger/claim.ts'
import { Ledger } from '../../../src/delivery/ledger/ledger.ts'
import { holdForOwner, queueCheck, resumeSite, stopForOwner } from '../../../src/delivery/ledger/outage.ts'
import {
  endRemoval,
  findMediaHolder,
  hasCompetitor,
  isBeingRemoved,
  isPostOfOtherDelivery,
  startRemoval,
} from '../../../src/delivery/ledger/ownership.ts'
import { deliveryStatuses } from '../../../src/delivery/ledger/state.ts'
import { forgetReplaced, purge } from '../../../src/delivery/maintenance/retention.ts'
import { holdForUnknownSites, queueForKnownSites } from '../../../src/delivery/maintenance/unknown-site.ts'
import { queueDueSites } from '../../../src/delivery/site-worker/sweep.ts'
import { queueSiteWorker } from '../../../src/delivery/site-worker/tasks.ts'
import { GalleyError } from '../../../src/errors.ts'
import { jobLeases } from '../../../src/generation/jobs/job.ts'
import { findFile, IS_SERVED, removeExpired } from '../../../src/generation/storage/file-rows.ts'
import { releaseLeases, renewLeases } from '../../../src/jobs/leased-work.ts'
import { cleanQueueTask } from '../../../src/jobs/runner.ts'
import { readBacklog } from '../../../src/observe/backlog.ts'
import {
  createApiKey,
  generateSecretKey,
  hashToken,
  openKeyring,
  parseSecretKeys,
} from '../../../src/secrets/keyring.ts'
import { sealedPassword } from '../../../src/sites/connection.ts'
import { registerSiteMetrics } from '../../../src/sites/health/state.ts'
import { quickTiming } from '../../faults/stage/timing.ts'
import { type Receiver, startReceiver } from '../../notifications/stage.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database/fresh-database.ts'
import { settled, startTestGalley, type TestGalley, webhookPath } from '../../support/galley.ts'
import { completed } from '../../support/webhooks.ts'
import { answers, completedAs, startUpstream } from '../../upstream/server.ts'
import { useBulk } from './bulk.ts'
import { useDirect } from './direct.ts'
import { longReads } from './explain.ts'
import { type Filled, fill } from './fill.ts'
import { countsOf, listsOf } from './lists.ts'
import { type Recording, record } from './record.ts'
import { analyse, timeCalls, writeReport } from './report.ts'
import { useSession } from './sessions.ts'
import { useStream } from './stream.ts'

/** Before what only this test asks: it is not recorded. */
const OWN = '-- of the test\n'

/**
 * Whether the database answers at all is no question to a table; nor is what a Galley asks once, at its start, before
 * anything is recorded here: it tries its keys on every secret that is stored, and looks for an API key. What a person does
 * with the installation as a whole (a backup, new secret keys, an examination) reads all of it on purpose.
 */
const NOT_ASKED = new Set([
  'http/health.ts',
  'sites/connection.ts',
  'accounts/operator-keys.ts',
  'operations/doctor.ts',
  'operations/rotate-secrets.ts',
  'operations/sealed-columns.ts',
  'operations/backup/dump.ts',
])

/** `GALLEY_PLANS_ROWS=1000000` for a million, which takes minutes to fill. */
const ROWS = Number(process.env.GALLEY_PLANS_ROWS ?? 20_000)

/** A file to be written, with what each list and statement took. */
const REPORT = process.env.GALLEY_PLANS_REPORT

let database: FreshDatabase
let pool: Pool
let galley: TestGalley
let sites: Sites
let model: ScriptedProvider
/** Takes whatever it is told. */
let receiver: Receiver
let filled: Filled
let accountId: string
let sourceId: string
const secretKeys = generateSecretKey()
const adminKey = createApiKey()
let recording: Recording
/** Not recorded. */
let client: Client

beforeAll(async () => {
  database = await freshDatabase()
  const { connectionString } = database
  client = new Client({ connectionString })
  await client.connect()
  pool = new Pool({ connectionString, max: 4 })
  sites = await startSites(2, () => undefined)
  const timing = { ...quickTiming, deadAfterS: 1, checkAgainAfterMs: 0 }
  receiver = await startReceiver()
  model = await startScriptedProvider()
  const { providers } = loadConfig({ GALLEY_AI_URL: model.url, GALLEY_AI_MODEL: MODEL })
  const start = () => startTestGalley({ secretKeys, providers, adminKey }, database, timing)
  galley = await start()
  accountId = (await pool.query('SELECT id FROM account')).rows[0].id
  await webhookPath(galley)
  sourceId = (await pool.query('SELECT id FROM source')).rows[0].id
  // Its ticks would read again and again what has no index yet.
  await galley.stop()
  const keyring = openKeyring(parseSecretKeys(secretKeys, 'this test'))
  const password = { applicationPassword: 'p', restRoot: 'https://example.test/wp-json/' }
  const sealed = (id: string) => sealedPassword(keyring, { accountId, id }, password)
  filled = await fill(client, { accountId, sourceId, rows: ROWS, sealed })
  galley = await start()
  // Nobody is asked with a password that cannot be read. A start looks whether its keys fit.
  await pool.query(`UPDATE site SET application_password = 'p'`)
}, 900_000)

afterAll(async () => {
  recording?.stop()
  sites.close()
  await model.stop()
  await receiver.close()
  await pool.end()
  await client.end()
  await database.drop()
})

/** Everything that a request does, once. */
async function useApi(works: string, sourceId: string): Promise<void> {
  const { call } = galley
  const get = async (path: string) =>
    (await call<{ data: { id: string }[]; next_cursor: string | null }>('GET', `/v1/${path}`)).body
  const lists = listsOf({ works, siteId: filled.siteIds[0] as string, sourceId })
  for (const path of lists) {
    const { data, next_cursor } = await get(path)
    expect(data, path).toBeInstanceOf(Array)
    const more = path.includes('?') ? '&' : '?'
    if (next_cursor !== null) await get(`${path}${more}limit=2&cursor=${next_cursor}`)
    const kind = path.replace(/\?.*/, '')
    if (data[0] && !['keys', 'audit'].includes(kind)) await get(`${kind}/${data[0].id}`)
  }
  for (const path of ['sites/states', ...countsOf({ siteId: filled.siteIds[0] as string })]) {
    const data = path.startsWith('causes') ? expect.any(Array) : {}
    expect(await get(path), path).toMatchObject({ data })
  }
  const exported = await fetch(`${galley.url}/v1/deliveries/export?label=label%202&format=csv`, {
    headers: { authorization: `Bearer ${adminKey}` },
  })
  expect((await exported.text()).split('\r\n').length).toBeGreaterThan(ROWS / 20)
  const key = await call<{ data: { id: string } }>('POST', '/v1/keys', { name: 'another' })
  await call('PATCH', `/v1/keys/${key.body.data.id}`, { name: 'renamed' })
  await call('POST', `/v1/keys/${key.body.data.id}/rotate`)
  await call('DELETE', `/v1/keys/${key.body.data.id}`)
  const account = await call<{ id: string }>('POST', '/v1/accounts', { name: 'another' })
  await call('PATCH', `/v1/accounts/${account.body.id}`, { disabled: true })
  await call('POST', `/v1/accounts/${account.body.id}/credits`, { amount: 1 })
  await get('accounts')
  await useLimited(works)

  const webhook = await webhookPath(galley)
  const event = completed({ siteId: works, categories: ['Uncategorized'] })
  for (const body of [
    event,
    event,
    { ...event, status: 'again' },
    { event: 'odd' },
    completed({ siteId: randomUUID() }),
  ])
    await call('POST', webhook, body)
  expect(await settled(galley, event.id)).toMatchObject({ status: 'delivered' })
  const { data: delivered } = await get(`deliveries?document_id=${event.id}`)
  expect(await get(`deliveries/${delivered[0]?.id}/edits`)).toMatchObject({ data: { site: {} } })
  const { data: held } = await get('deliveries?status=held')
  await call('POST', `/v1/deliveries/${held[0]?.id}/retry`)
  await call('POST', `/v1/deliveries/${held[1]?.id}/retry`, { site_id: works })
  expect(await call('POST', `/v1/deliveries/${held[2]?.id}/retry`)).toMatchObject({ status: 202 })
  expect(await call('POST', `/v1/deliveries/${held[3]?.id}/cancel`)).toMatchObject({ status: 200 })
  expect(await call('POST', `/v1/sites/${filled.siteIds[3]}/pause`)).toMatchObject({ status: 200 })
  expect(await call('POST', `/v1/sites/${filled.siteIds[3]}/resume`)).toMatchObject({ status: 200 })

  await call('PATCH', `/v1/sites/${works}`, { name: 'New' })
  await call('PATCH', `/v1/sites/${works}`, { username: 'other' })
  await call('POST', `/v1/sites/${works}/check`)
  await call('POST', `/v1/sites/${works}/preview`, { data: event.data })
  await call('POST', '/v1/sites', {
    id: works,
    url: 'http://127.0.0.1:9',
    username: 'u',
    application_password: 'p',
  })
  await call('POST', '/v1/sites', { url: sites.urls[1], username: 'u', application_password: 'p' })
  await call('POST', '/v1/connect-links', { id: randomUUID(), url: sites.urls[1] })
  const token = `link-${randomUUID()}`
  await pool.query(
    `${OWN} UPDATE connect_link SET token_hash = $1, expires_at = now() + interval '1 hour'
     WHERE id = (SELECT max(id::text)::uuid FROM connect_link WHERE account_id = $2)`,
    [hashToken(token), accountId],
  )
  await fetch(`${galley.url}/connect/${token}`)

  await useUpstream(works)
  const other = await call<{ id: string }>('POST', '/v1/sources', { name: 'short' })
  await call('PATCH', `/v1/sources/${other.body.id}`, { name: 'shorter' })
  await call('POST', `/v1/sources/${other.body.id}/rotate`)
  expect(await call('DELETE', `/v1/sources/${other.body.id}`)).toMatchObject({ status: 200 })
  expect(await call('DELETE', `/v1/sources/${sourceId}`)).toMatchObject({ status: 409 })
  await call('DELETE', `/v1/sites/${filled.siteIds[1]}`)
}

/** What a source asks its upstream, which is away at first, and refuses its key then. */
async function useUpstream(works: string): Promise<void> {
  const { call } = galley
  const upstream = await startUpstream()
  const wish = { confirm: true, backfill: true, limits: { labels: ['label 1'], sites: [works] } }
  const made = await call<{ id: string; data: { url: string } }>('POST', '/v1/sources', {
    ...{ name: 'confirmed', upstream_base_url: upstream.url, upstream_api_key: 'key', ...wish },
  })
  const [path, webhook] = [`/v1/sources/${made.body.id}`, new URL(made.body.data.url).pathname]
  const [document, unannounced] = [completed({ siteId: works }), randomUUID()]
  upstream.all = answers({}, 503)
  await call('POST', webhook, document)
  await call('POST', webhook, completed({ siteId: randomUUID() }))
  await call('POST', webhook, { event: 'research.completed', id: unannounced })
  const trouble = () => call<{ data: { upstream_trouble: unknown } }>('GET', path)
  await expect.poll(async () => (await trouble()).body.data.upstream_trouble).not.toBeNull()
  upstream.all = undefined
  upstream.about.set(document.id, completedAs(document.id, document.data))
  expect(await settled(galley, document.id)).toMatchObject({ status: 'delivered' })
  const refused = completed({ siteId: works })
  upstream.all = answers({}, 401)
  await call('POST', webhook, refused)
  expect(await settled(galley, refused.id)).toMatchObject({ status: 'held' })
  upstream.all = undefined
  await call('PATCH', path, { upstream_api_key: 'another' })
  const asked = { document_ids: [document.id, unannounced, ...Array.from({ length: 3 }, () => randomUUID())] }
  upstream.about.set(unannounced, answers({ id: unannounced, status: 'images' }))
  expect(await call('POST', `${path}/backfill`, asked)).toMatchObject({ status: 202 })
  await pool.query(`${OWN} SELECT graphile_worker.add_job('backfill')`)
  const list = () => call<{ data: { status: string }[] }>('GET', `${path}/backfill?limit=100`)
  const counts = async () => (await list()).body.data.filter(({ status }) => status !== 'waiting').length
  await expect.poll(counts).toBe(4)
  await call('GET', `${path}/backfill?limit=2&cursor=${unannounced}`)
  await upstream.close()
}

/** What a key asks that is limited to sites with a label. */
async function useLimited(works: string): Promise<void> {
  const { call, url } = galley
  const limit = { name: 'limited', role: 'manager', labels: ['label 1'] }
  const { data } = (await call<{ data: { key: string } }>('POST', '/v1/keys', limit)).body
  const get = async (path: string) => {
    const response = await fetch(`${url}/v1/${path}`, { headers: { authorization: `Bearer ${data.key}` } })
    return (await response.json()) as { data: { id: string }[] }
  }
  for (const list of [
    'sites',
    'events',
    'deliveries',
    'connect-links',
    'notifications',
    'jobs',
    'events?status=planned',
  ]) {
    const { data } = await get(list)
    expect(data, list).toBeInstanceOf(Array)
    const kind = list.replace(/\?.*/, '')
    if (data[0]) await get(`${kind}/${data[0].id}`)
  }
  await get(`sites/${works}`)
  await get(`document/status/${randomUUID()}`)
}

/** What the generation service is asked, and what it then does by itself. */
async function useGeneration(works: string): Promise<void> {
  const { call } = galley
  const webhook_url = receiver.url
  const ordered = [
    {
      kind: 'document',
      body: {
        prompt: 'How to read a tide table',
        text: { length: 100 },
        // The sites here take no files.
        image: { enabled: false },
        site_id: works,
        webhook_url,
      },
    },
    { kind: 'image', body: { prompt: 'a quiet harbour at low water', webhook_url } },
    { kind: 'audio', body: { text: 'The water comes back in six hours.', format: 'wav', webhook_url } },
  ]
  const ids: string[] = []
  for (const { kind, body } of ordered) {
    const created = await call<{ id: string }>('POST', `/v1/${kind}/create`, body)
    expect(created, kind).toMatchObject({ status: 202 })
    ids.push(created.body.id)
    const status = () => call<{ status: string }>('GET', `/v1/${kind}/status/${created.body.id}`)
    await expect.poll(async () => (await status()).body.status, { timeout: 120_000 }).toBe('completed')
  }
  const [document] = ids as [string]
  const jobs = await call<{ next_cursor: string }>('GET', '/v1/jobs')
  await call('GET', `/v1/jobs?limit=2&cursor=${jobs.body.next_cursor}`)
  await call('GET', '/v1/jobs?kind=image')
  await call('GET', '/v1/jobs?search=nowhere')
  await call('GET', '/v1/jobs?status=failed')
  await call('GET', '/v1/jobs?status=failed&status=completed')
  await call('GET', `/v1/jobs?kind=document&status=completed&cursor=${jobs.body.next_cursor}`)
  await call('GET', `/v1/jobs/${document}`)
  await call('POST', `/v1/jobs/${document}/cancel`)
  await call('POST', `/v1/jobs/${document}/resume`)
  for (const { kind, body } of ordered) await call('POST', `/v1/${kind}/price`, body)
  expect(await settled(galley, document)).toMatchObject({ status: 'delivered' })

  await call('POST', '/v1/account/notification-secret')
  await call('DELETE', '/v1/account/notification-secret')
  await call('PATCH', '/v1/account', { notify_steps: true })
  await call('GET', '/v1/account')
  const told = `notifications?subject_id=${document}`
  for (const path of ['account/credits', 'notifications', 'notifications?status=failed', told]) {
    const { body } = await call<{ next_cursor: string | null }>('GET', `/v1/${path}`)
    const more = path.includes('?') ? '&' : '?'
    if (body.next_cursor !== null) await call('GET', `/v1/${path}${more}limit=2&cursor=${body.next_cursor}`)
  }
  const first = async () =>
    (await call<{ data: { id: string; status: string }[] }>('GET', `/v1/${told}`)).body.data[0]
  await expect.poll(async () => (await first())?.status).toBe('acknowledged')
  await call('GET', `/v1/notifications/${(await first())?.id}`)
  expect(await call('POST', `/v1/notifications/${(await first())?.id}/repeat`)).toMatchObject({ status: 202 })
}

/** Everything that somebody who is told does. */
async function useReceivers(): Promise<void> {
  const { call } = galley
  const made = await call<{ id: string }>('POST', '/v1/receivers', { name: 'R', url: receiver.url })
  const path = `/v1/receivers/${made.body.id}`
  await call('GET', '/v1/receivers')
  await call('GET', path)
  await call('PATCH', path, { labels: ['label 1'] })
  await call('POST', `${path}/rotate`)
  await call('POST', `${path}/test`)
  const told = `/v1/notifications?receiver_id=${made.body.id}`
  for (const list of [told, `${told}&event=site.outage`, '/v1/notifications?event=delivery.delivered'])
    await call('GET', list)
  expect(await call('DELETE', path)).toMatchObject({ status: 200 })
}

/** Everything that a tick of the service or a step of a delivery does, and no request has done. */
async function work(works: string): Promise<void> {
  const broken = { accountId, id: filled.siteIds[2] as string }
  await pool.query(
    `${OWN} UPDATE delivery SET due_at = now() - interval '1 second' WHERE site_id = $1 AND status = 'queued'`,
    [broken.id],
  )
  // As alive, or the sweep would give its claim to another.
  await pool.query(
    `${OWN} INSERT INTO worker_process (id, beat_at) VALUES ('a test', now() + interval '1 day')`,
  )
  const row = await claimProbe(pool, { siteId: broken.id, accountId, worker: 'a test', leaseS: 60 })
  if (row === null) throw new Error('Nothing was due')
  const ledger = new Ledger(pool, row, 60)
  await ledger.intendMedia('m2', 'https://x.test/2')
  await ledger.recordMedia('m2', 7)
  await ledger.media()
  expect(await renewLeases(pool, deliveryLeases, [ledger], quickTiming)).toEqual(new Set([row.id]))
  await ledger.stored()
  await ledger.sharesPost()
  const post = { id: 7, link: 'https://example.com/?p=7' }
  const picture = { id: 7, link: 'https://example.com/picture/' }
  await isPostOfOtherDelivery(pool, row.id, post, 'posts')
  await hasCompetitor(pool, row.id, post, 'posts')
  await findMediaHolder(pool, row.id, picture, 'm')
  await isBeingRemoved(pool, row.id, { kind: 'post', id: 7 })
  await startRemoval(pool, row, { kind: 'post', id: 7 })
  await endRemoval(pool, row.id, { kind: 'post', id: 7 })
  const failure = new GalleyError({
    code: 'password_wrong',
    message: 'It is wrong.',
    fault: 'owner',
    action: 'owner',
  })
  await queueCheck({ database: pool, timing: { checkAgainAfterMs: 0 } }, broken, failure)
  await stopForOwner(
    pool,
    broken,
    { username: 'u', sealedPassword: 'p', authorId: null, language: null },
    failure,
  )
  await holdForOwner(pool, broken)
  await resumeSite(pool, broken)
  await holdForUnknownSites(pool, pino({ level: 'silent' }))
  await queueForKnownSites(pool)
  await queueDueSites(pool)
  await queueSiteWorker(pool, broken)
  await forgetReplaced(pool)
  expect(await purge(pool, 59)).toMatchObject({ events: expect.any(Number) })
  for (const of of [deliveryLeases, jobLeases]) await releaseLeases(pool, of, 'nobody', [ledger.id])
  await useFiles()
  await cleanQueueTask(pool).run({})

  await pool.query(
    `${OWN} UPDATE delivery SET ambiguous_at = now() WHERE site_id = $1 AND status = 'delivered'`,
    [works],
  )
  await pool.query(
    `${OWN} SELECT graphile_worker.add_job('reconcile_orphans', json_build_object('deliveryId', id)) FROM delivery
     WHERE ambiguous_at IS NOT NULL LIMIT 1`,
  )
  await followAtOnce(pool, { accountId, id: works })
  for (const job of ['retention', 'generation_retention', 'notification_retention', 'enter_unfinished'])
    await pool.query(`${OWN} SELECT graphile_worker.add_job($1)`, [job])
  await setFirstAccountCredits({ pool }, 100)
  await expect
    .poll(
      async () =>
        (
          await client.query(
            `${OWN} SELECT 1 FROM graphile_worker.jobs WHERE task_identifier IN ('reconcile_orphans', 'follow_posts') OR task_identifier LIKE '%retention'`,
          )
        ).rowCount,
    )
    .toBe(0)
}

/** What is asked about files that were made, and about those whose time is over. */
async function useFiles(): Promise<void> {
  await findFile(pool, 'nothing', IS_SERVED)
  await pool.query(
    `${OWN} UPDATE stored_file SET expires_at = now() - interval '1 second' WHERE token = (SELECT min(token) FROM stored_file)`,
  )
  await removeExpired({ pool, removeBlob: async () => undefined })
}

test('every statement of a request or a tick reads as much of a growing table as it needs', {
  timeout: 900_000,
}, async () => {
  recording = record()
  const [works] = await addSites(pool, secretKeys, [
    { url: sites.urls[0] as string },
    { url: 'http://127.0.0.1:9' },
  ])
  await useApi(works as string, sourceId)
  await useGeneration(works as string)
  expect((await readBacklog(pool)).length).toBeGreaterThan(9)
  const registry = new Registry()
  registerSiteMetrics(registry, pool)
  expect(await registry.metrics()).toMatch(/galley_sites\{state="down"\} [1-9]/)
  await useReceivers()
  await useStream(galley, pool, adminKey)
  await work(works as string)
  await useSession(galley, pool, { adminKey, own: OWN })
  await useDirect(galley, pool, { works: works as string, secretKeys, accountId })
  const opened = openDatabase({
    connectionString: database.connectionString,
    poolSize: 2,
    log: pino({ level: 'silent' }),
  })
  await useBulk(galley, opened, { works: works as string, secretKeys })
  await opened.close()
  recording.stop()
  const asked = { works: works as string, siteId: filled.siteIds[0] as string, sourceId }
  const taken = REPORT && (await timeCalls(galley, [...listsOf(asked), ...countsOf(asked)]))
  await galley.stop()
  if (REPORT && taken) await writeReport(REPORT, taken, await analyse(client, recording.statements.values()))
  const found: string[] = []
  for (const statement of recording.statements.values()) {
    const long = await longReads(client, statement, ROWS)
    found.push(...long.map((read) => `${read}:\n${statement.text}`))
  }
  expect(found.join('\n\n')).toBe('')
})

test('no file of src asks the database something that is not among them', async () => {
  const asking: string[] = []
  for (const file of await readdir('src', { recursive: true }))
    if (file.endsWith('.ts') && !file.startsWith('database/') && !NOT_ASKED.has(file))
      if (/(pool|database)\.query[<(]|\b(queryRows|execute)[<(]/.test(await readFile(`src/${file}`, 'utf8')))
        asking.push(`src/${file}`)
  expect(asking.filter((file) => !recording.files.has(file))).toEqual([])
})

/** Of these there may be many; but for the statuses, no row here has what is asked for. */
const filters: DeliveryFilter[] = [
  ...deliveryStatuses.map((status) => ({
    status: status === 'queued' ? [status, 'waiting' as const] : [status],
  })),
  { code: ['unheard_of'] },
  { code: ['unheard_of', 'nor_of_this'] },
  { severity: 'note' },
  { warning: 'slug_taken', code: ['unheard_of'] },
  { post_status: ['draft', 'trash'] },
  { site_id: [randomUUID()] },
  { source_id: randomUUID() },
]

// So many rows that PostgreSQL would rather read all of an account in the order of the list than sort what matches are more
// than there are here: it has to find an order that takes no sort, wherever there is one.
test('a list reads as little where hardly a row matches, and none', async () => {
  await client.query('SET enable_sort = off')
  for (const filter of filters)
    for (const sort of ['newest', 'oldest'] as const) {
      const { sql, values } = await walkPage(pool, { accountId, siteIds: null }, { filter, sort, most: 20 })
      const asked = { ...named(sql, values), named: false, from: undefined }
      const [read] = await analyse(client, [asked])
      expect(read?.pages, `${JSON.stringify(filter)}, ${sort}`).toBeLessThan(200)
    }
  await client.query('RESET enable_sort')
})

// Not among them: delivery_document_id_account_id_idx. From PostgreSQL 18 on, the planner may skip through the unique
// index of (account_id, site_id, document_id) instead, or not, as the statistics it sampled have it.
test.each([
  ['event_received_at_id_idx', 'event'],
  ['event_account_id_status_id_idx', 'event'],
  ['delivery_account_id_status_id_idx', 'delivery'],
  ['delivery_due_idx', 'delivery'],
  ['delivery_post_id_idx', 'delivery'],
  ['delivery_held_idx', 'delivery'],
  ['delivery_needed_idx, delivery_open_idx', 'delivery'],
  ['delivery_step_delivery_id_id_idx', 'delivery_step'],
  ['delivery_step_at_id_idx', 'delivery_step'],
  ['delivery_error_idx', 'delivery'],
  ['delivery_loss_idx', 'delivery'],
  ['delivery_account_id_updated_at_id_idx', 'delivery'],
])('without %s one of them would read more and more', { timeout: 300_000 }, async (index, table) => {
  await client.query('BEGIN')
  await client.query(`DROP INDEX ${index}`)
  let found: string[] = []
  const asked = [...recording.statements.values()].filter(({ text }) => text.includes(table))
  for (const statement of asked) {
    found = await longReads(client, statement, ROWS)
    if (found.length > 0) break
  }
  await client.query('ROLLBACK')
  expect(found).not.toEqual([])
})
