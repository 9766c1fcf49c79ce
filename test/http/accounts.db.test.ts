import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey } from '../../src/accounts/keys.ts'
import { claimNext } from '../../src/delivery/ledger/claim.ts'
import { queueDueSites } from '../../src/delivery/site-worker/sweep.ts'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
/** Of whoever runs this Galley; in the owner's account, as a new Galley has it. */
let operator: string
beforeAll(async () => {
  app = await startApp()
  const made = await createKey(app.database.prisma, {
    accountId: app.owner.id,
    name: 'Operator',
    role: 'operator',
  })
  operator = made.key
})
afterAll(() => app.stop())

const ask = (method: string, path: string, body?: unknown, key = operator) =>
  app.ask(method, path, { key, body })
const change = (id: string, body: object) => ask('PATCH', `/v1/accounts/${id}`, body)

describe('/v1/accounts', () => {
  it('201-created, with a key of its owner that sees nothing of the others', async () => {
    const { status, body } = await ask('POST', '/v1/accounts', { name: 'Agency' })
    expect(status).toBe(201)
    expect(body.data.account).toMatchObject({
      id: body.id,
      name: 'Agency',
      unlimited: true,
      disabled_at: null,
    })
    const keys = await ask('GET', '/v1/keys', undefined, body.data.key)
    expect(keys.body.data).toMatchObject([{ role: 'owner', expires_at: null, site_ids: [], labels: [] }])
    expect((await ask('GET', '/v1/account', undefined, body.data.key)).body.data.id).toBe(body.id)
    const { rows } = await app.database.pool.query('SELECT a::text AS row FROM audit_entry a')
    expect(JSON.stringify(rows)).not.toContain(body.data.key)
    const log = await ask('GET', `/v1/audit?subject_id=${body.id}`)
    expect(log.body.data).toMatchObject([
      { action: 'account.create', actor: 'Operator', details: { name: 'Agency' } },
    ])
  })

  it('200-listed, read and renamed, page by page', async () => {
    const { body } = await ask('POST', '/v1/accounts', { name: 'Before', unlimited: false })
    expect(await change(body.id, { name: 'After' })).toMatchObject({
      status: 200,
      body: { data: { name: 'After' } },
    })
    const read = await ask('GET', `/v1/accounts/${body.id}`)
    expect(read.body.data).toMatchObject({ name: 'After', unlimited: false, credits: 0 })
    const first = await ask('GET', '/v1/accounts?limit=1')
    expect(first.body.data).toEqual([read.body.data])
    const next = await ask('GET', `/v1/accounts?limit=100&cursor=${first.body.next_cursor}`)
    const ids = next.body.data.map(({ id }: { id: string }) => id)
    expect(ids).toEqual(expect.arrayContaining([app.owner.id, app.stranger.id]))
    expect(ids).not.toContain(body.id)
  })

  it('200-credits given, as its ledger says', async () => {
    const { body } = await ask('POST', '/v1/accounts', { name: 'Payer', unlimited: false })
    const given = await ask('POST', `/v1/accounts/${body.id}/credits`, { amount: 40, note: 'May' })
    expect(given.body.data).toMatchObject({ credits: 40, unlimited: false })
    const ledger = await ask('GET', '/v1/account/credits', undefined, body.data.key)
    expect(ledger.body).toMatchObject({ balance: 40, data: [{ kind: 'grant', amount: 40, note: 'May' }] })
  })

  it('422-more-credits than an account may have, and nothing is given', async () => {
    const { body } = await ask('POST', '/v1/accounts', { name: 'Rich', unlimited: false })
    await app.database.pool.query('UPDATE account SET credits = 999999990 WHERE id = $1', [body.id])
    const refused = await ask('POST', `/v1/accounts/${body.id}/credits`, { amount: 11 })
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'TOO_MANY_CREDITS' } } })
    const given = await ask('POST', `/v1/accounts/${body.id}/credits`, { amount: 10 })
    expect(given.body.data).toMatchObject({ credits: 1_000_000_000 })
    const ledger = await ask('GET', '/v1/account/credits', undefined, body.data.key)
    expect(ledger.body.data).toMatchObject([{ kind: 'grant', amount: 10 }])
  })

  it.each([
    ['GET', '', undefined],
    ['PATCH', '', { name: 'Nobody' }],
    ['POST', '/credits', { amount: 1 }],
  ])('404-unknown: %s /v1/accounts/{uuid}%s', async (method, suffix, body) => {
    expect(await ask(method, `/v1/accounts/${crypto.randomUUID()}${suffix}`, body)).toMatchObject({
      status: 404,
    })
  })

  it('403-to an owner, who hears of no account', async () => {
    const answer = await ask('GET', '/v1/accounts', undefined, app.owner.key)
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } })
  })

  it('409-own account, which nobody disables', async () => {
    expect(await change(app.owner.id, { disabled: true })).toMatchObject({
      status: 409,
      body: { error: { code: 'OWN_ACCOUNT' } },
    })
    expect((await ask('GET', '/v1/account')).status).toBe(200)
  })
})

describe('an account that is disabled', () => {
  it('is refused with its keys and webhooks at once, in every process, and its deliveries wait', async () => {
    const { body } = await ask('POST', '/v1/accounts', { name: 'Late payer' })
    const { id: accountId, data } = body
    const siteId = crypto.randomUUID()
    await app.database.prisma.site.create({
      data: {
        ...{ id: siteId, accountId, name: 'Site', url: 'https://site.example', username: 'galley' },
        ...{ restRoot: 'https://site.example/wp-json/', applicationPassword: 'unused' },
      },
    })
    const source = await ask('POST', '/v1/sources', { name: 'Upstream' }, data.key)
    const webhook = new URL(source.body.data.url).pathname
    const send = () => app.ask('POST', webhook, { key: undefined, body: completed({ siteId }) })
    expect((await send()).status).toBe(202)

    const other = await startApp({}, app.connectionString)
    try {
      expect((await change(accountId, { disabled: true })).body.data.disabled_at).toEqual(expect.any(String))
      for (const { ask } of [app, other])
        expect(await ask('GET', '/v1/sites', { key: data.key })).toMatchObject({
          status: 403,
          body: { error: { code: 'ACCOUNT_DISABLED' } },
        })
      expect((await send()).status).toBe(404)
    } finally {
      await other.stop()
    }

    const { pool } = app.database
    const claim = () => claimNext(pool, { siteId, accountId, worker: 'a test', leaseS: 60 })
    const jobs = async () => {
      await pool.query('SELECT graphile_worker.complete_jobs(array_agg(id)) FROM graphile_worker.jobs')
      await queueDueSites(pool)
      const { rows } = await pool.query('SELECT FROM graphile_worker.jobs')
      return rows.length
    }
    expect(await claim()).toEqual([])
    expect(await jobs()).toBe(0)
    expect((await change(accountId, { disabled: false })).body.data.disabled_at).toBeNull()
    expect(await jobs()).toBe(1)
    expect(await claim()).toHaveLength(1)
    expect((await ask('GET', '/v1/sites', undefined, data.key)).status).toBe(200)
  })
})
