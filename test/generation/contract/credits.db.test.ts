import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setFirstAccountCredits } from '../../../src/accounts/accounts.ts'
import { grantCredits, refundCredits } from '../../../src/accounts/credits.ts'
import {
  audioRequestSchema,
  documentRequestSchema,
  imageRequestSchema,
} from '../../../src/contract/generation/requests.ts'
import { named } from '../../../src/database/statement.ts'
import { defaultPrices, parsePrices, priceOf } from '../../../src/generation/api/prices.ts'
import { startApp, type TestApp } from '../../http/app.ts'
import { someProviders } from '../providers.ts'
import { create, least } from './ordering.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ requestsPerMinute: 0 }, undefined, undefined, someProviders)
})
afterAll(() => app.stop())

/** What an image costs. */
const PRICE = 4

/** The stranger's account has a limit, and just so much credit. */
const credit = async (amount: number) => {
  const { pool } = app.database
  await pool.query('DELETE FROM credit_entry WHERE account_id = $1', [app.stranger.id])
  await pool.query('DELETE FROM generation_job WHERE account_id = $1', [app.stranger.id])
  await pool.query('UPDATE account SET unlimited = false, credits = 0 WHERE id = $1', [app.stranger.id])
  if (amount > 0) await grantCredits(pool, { accountId: app.stranger.id, amount, note: 'for a test' })
}
const order = (headers: Record<string, string> = {}, body: object = {}) =>
  create(app, 'image', body, { key: app.stranger.key, headers })

/** `queued` counts the jobs that the queue brings to a worker: of those that were stored together it names one. */
const state = async () => {
  const { rows } = await app.database.pool.query(
    `SELECT credits, (SELECT sum(amount)::int FROM credit_entry WHERE account_id = account.id) AS sum,
      (SELECT count(*)::int FROM generation_job WHERE account_id = account.id) AS jobs,
      (SELECT count(*)::int FROM credit_entry WHERE account_id = account.id AND kind = 'charge') AS charges,
      (SELECT sum(1 + (queued.payload ->> 'beside')::int)::int FROM graphile_worker._private_jobs AS queued
        JOIN generation_job job ON queued.key = 'generate:' || job.id WHERE job.account_id = account.id) AS queued
    FROM account WHERE id = $1`,
    [app.stranger.id],
  )
  return rows[0]
}

const refund = (id: string) =>
  app.database.pool.query(
    named(
      `WITH ended AS (SELECT id FROM generation_job WHERE id = :id::uuid), ${refundCredits('ended')} SELECT 1`,
      { id },
    ),
  )

describe('an account with a limit', () => {
  it('is charged when the job is stored, and told when it has too little (M1, M2)', async () => {
    await credit(PRICE + 1)
    expect(await order()).toMatchObject({ status: 202 })
    expect(await state()).toEqual({ credits: 1, sum: 1, jobs: 1, charges: 1, queued: 1 })
    expect(await order()).toMatchObject({
      status: 402,
      body: {
        success: false,
        error: { code: 'INSUFFICIENT_CREDITS', details: { price: PRICE, credits: 1 } },
      },
    })
    expect(await state()).toEqual({ credits: 1, sum: 1, jobs: 1, charges: 1, queued: 1 })
  })

  it('202-down to nothing', async () => {
    await credit(PRICE)
    expect(await order()).toMatchObject({ status: 202 })
    expect(await state()).toMatchObject({ credits: 0, sum: 0 })
  })

  it('100 requests at once, with credit for 50: exactly 50 are accepted (M3)', async () => {
    await credit(50 * PRICE + PRICE - 1)
    const statuses = (await Promise.all(Array.from({ length: 100 }, () => order()))).map(
      ({ status }) => status,
    )
    expect(statuses.filter((status) => status === 202)).toHaveLength(50)
    expect(statuses.filter((status) => status === 402)).toHaveLength(50)
    const rest = PRICE - 1
    expect(await state()).toEqual({ credits: rest, sum: rest, jobs: 50, charges: 50, queued: 50 })
  })

  it('is not told that it has too little for what was accepted under the same Idempotency-Key', async () => {
    await credit(PRICE)
    const { pool } = app.database
    const holder = await pool.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [app.stranger.id])
    const headers = { 'idempotency-key': randomUUID() }
    // Of this database: other tests wait for locks in the same server.
    const waiting = async () =>
      (
        await pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
      ).rowCount
    // One after the other: what comes in the same moment would be one statement.
    const one = order(headers)
    await expect.poll(waiting).toBe(1)
    const other = order(headers)
    await expect.poll(waiting).toBe(2)
    await holder.query('COMMIT')
    holder.release()
    const [first, second] = await Promise.all([one, other])
    expect([first.status, second.status]).toEqual([202, 202])
    expect(first.body.id).toBe(second.body.id)
    expect(await state()).toEqual({ credits: 0, sum: 0, jobs: 1, charges: 1, queued: 1 })
  })

  it('gets all of it back when a job fails, once (M4)', async () => {
    await credit(PRICE)
    const { id } = (await order()).body
    await Promise.all([refund(id), refund(id)].map((both) => both.catch(() => undefined)))
    await refund(id)
    expect(await state()).toMatchObject({ credits: PRICE, sum: PRICE })
    const { body } = await app.ask('GET', '/v1/account/credits', { key: app.stranger.key })
    expect(
      body.data.map(({ kind, amount, job_id }: Record<string, unknown>) => [kind, amount, job_id]),
    ).toEqual([
      ['refund', PRICE, id],
      ['charge', -PRICE, id],
      ['grant', PRICE, null],
    ])
  })

  it('has no balance below nothing, whoever writes it', async () => {
    await credit(1)
    await expect(
      app.database.pool.query('UPDATE account SET credits = -1 WHERE id = $1', [app.stranger.id]),
    ).rejects.toThrow('account_credits_not_negative')
  })
})

it('an account without a limit is charged nothing and counted all the same (M5)', async () => {
  await create(app, 'image')
  const account = await app.ask('GET', '/v1/account')
  expect(account.body.data).toMatchObject({ id: app.owner.id, unlimited: true, credits: 0 })
  const { body } = await app.ask('GET', '/v1/account/credits?limit=1')
  expect(body).toMatchObject({
    balance: 0,
    unlimited: true,
    data: [{ kind: 'charge', amount: 0, price: PRICE }],
  })
})

describe('Idempotency-Key', () => {
  let key: Record<string, string>
  beforeEach(() => {
    key = { 'idempotency-key': crypto.randomUUID() }
  })

  it('202-the same key and request answers the first answer, and makes and charges nothing (C6)', async () => {
    await credit(PRICE)
    const first = await order(key)
    expect(first).toMatchObject({ status: 202 })
    // Spelled otherwise, and asking for the same; there is no credit left, either.
    const again = await order(key, { size: 'landscape', background: 'auto' })
    expect([again.status, again.body]).toEqual([202, first.body])
    expect(await state()).toMatchObject({ credits: 0, jobs: 1, charges: 1, queued: 1 })
  })

  it('409-the same key with another request, of whatever kind (C6)', async () => {
    await credit(10 * PRICE)
    await order(key)
    const conflict = { status: 409, body: { success: false, error: { code: 'IDEMPOTENCY_KEY_REUSED' } } }
    expect(await order(key, { size: 'square' })).toMatchObject(conflict)
    const asked = { key: app.stranger.key, headers: key }
    expect(await create(app, 'document', {}, asked)).toMatchObject(conflict)
    expect(await state()).toMatchObject({ jobs: 1, charges: 1 })
  })

  it('202-twenty at once are one job, charged once (C6)', async () => {
    await credit(10 * PRICE)
    const answers = await Promise.all(Array.from({ length: 20 }, () => order(key)))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
    expect(await state()).toEqual({
      credits: 9 * PRICE,
      sum: 9 * PRICE,
      jobs: 1,
      charges: 1,
      queued: 1,
    })
  })

  it('202-is the account’s own: another has its own job under the same key (C6)', async () => {
    await credit(PRICE)
    const mine = await order(key)
    const theirs = await create(app, 'image', {}, { headers: key })
    expect(theirs.status).toBe(202)
    expect(theirs.body.id).not.toBe(mine.body.id)
  })

  it('202-what was refused can be sent again under its key (C6)', async () => {
    await credit(0)
    expect(await order(key)).toMatchObject({ status: 402 })
    expect(await order(key, { size: 'huge' })).toMatchObject({ status: 422 })
    await credit(PRICE)
    expect(await order(key)).toMatchObject({ status: 202 })
  })

  it.each([
    ['x', 202],
    ['x'.repeat(255), 202],
    ['x'.repeat(256), 422],
    ['', 422],
  ])('%.10s… is answered %i (C6)', async (name, status) => {
    await credit(PRICE)
    const answer = await order({ 'idempotency-key': name })
    expect(answer.status).toBe(status)
    if (status === 422) expect(answer.body.error.details).toMatchObject([{ path: 'headers.idempotency-key' }])
  })
})

it('whoever runs Galley gives the first account credits and a limit, and takes the limit away (M5)', async () => {
  const { prisma } = app.database
  const first = await prisma.account.findFirstOrThrow({ orderBy: { id: 'asc' } })
  const before = (await app.ask('GET', '/v1/account/credits', { key: app.owner.key })).body
  expect(first.id).toBe(app.owner.id)
  expect(await setFirstAccountCredits(app.database, 5)).toEqual({
    credits: before.balance + 5,
    unlimited: false,
  })
  expect(await setFirstAccountCredits(app.database, 2)).toEqual({
    credits: before.balance + 7,
    unlimited: false,
  })
  expect(await create(app, 'document')).toMatchObject({ status: 402 })
  const { body } = await app.ask('GET', '/v1/account/credits?limit=1')
  expect(body.data).toMatchObject([{ kind: 'grant', amount: 2, note: 'Given with --credits' }])
  expect(await setFirstAccountCredits(app.database, 'unlimited')).toEqual({
    credits: before.balance + 7,
    unlimited: true,
  })
  expect(await create(app, 'document')).toMatchObject({ status: 202 })
})

describe('the price', () => {
  const document = (body: object) =>
    priceOf('document', documentRequestSchema.parse({ ...least.document, ...body }), defaultPrices)

  it('is a function of the request (M6)', () => {
    const alone = { image: { enabled: false }, model: 'basic' }
    expect(document({ ...alone, text: { length: 500 } })).toBe(1 + 2)
    expect(document({ ...alone, text: { length: 501 } })).toBe(2 + 2)
    expect(document({ ...alone, text: { length: 500, model: 'advanced' } })).toBe(4 + 2)
    expect(document({ model: 'basic', text: { length: 500 } })).toBe(1 + 2 + 4)
    expect(document({ ...alone, text: { length: 500 }, audio: { enabled: true } })).toBe(1 + 2 + 3)
    const audio = (text: string) => priceOf('audio', audioRequestSchema.parse({ text }), defaultPrices)
    expect([audio('🌊'.repeat(1_000)), audio('🌊'.repeat(1_001))]).toEqual([2, 4])
    const image = (model: string) =>
      priceOf('image', imageRequestSchema.parse({ ...least.image, model }), defaultPrices)
    expect([image('basic'), image('standard'), image('advanced')]).toEqual([2, 4, 8])
  })

  it('is a setting', () => {
    expect(parsePrices('')).toEqual(defaultPrices)
    expect(parsePrices('text=3, advanced = 10')).toEqual({ ...defaultPrices, text: 3, advanced: 10 })
    for (const wrong of ['video=1', 'text', 'text=', 'text=1.5', 'text=-1', 'text=1001', 'toString=1'])
      expect(() => parsePrices(wrong), wrong).toThrow()
  })

  it('202-is kept with the job: what it costs later changes nothing', async () => {
    const dear = await startApp({ prices: parsePrices('image=50') }, undefined, undefined, someProviders)
    const { body } = await create(dear, 'image')
    const { rows } = await dear.database.pool.query('SELECT price FROM generation_job WHERE id = $1', [
      body.id,
    ])
    expect(rows).toEqual([{ price: 100 }])
    await dear.stop()
  })
})

describe('/v1/account', () => {
  it('200-read and changed', async () => {
    const asked = { key: app.stranger.key }
    expect((await app.ask('GET', '/v1/account', asked)).body.data).toMatchObject({
      id: app.stranger.id,
      name: 'Stranger',
      notify_steps: false,
    })
    const changed = await app.ask('PATCH', '/v1/account', { ...asked, body: { notify_steps: true } })
    expect(changed).toMatchObject({ status: 200, body: { data: { notify_steps: true } } })
    const same = await app.ask('PATCH', '/v1/account', { ...asked, body: {} })
    expect(same).toMatchObject({ status: 200, body: { data: { notify_steps: true } } })
    expect((await app.ask('GET', '/v1/account')).body.data.notify_steps).toBe(false)
  })

  it('200-renamed, as it was asked for and nothing else of it', async () => {
    const asked = { key: app.stranger.key }
    const before = (await app.ask('GET', '/v1/account', asked)).body.data
    const { status, body } = await app.ask('PATCH', '/v1/account', {
      ...asked,
      body: { name: 'Harbour Press' },
    })
    expect({ status, data: body.data }).toEqual({ status: 200, data: { ...before, name: 'Harbour Press' } })
    expect((await app.ask('GET', '/v1/account')).body.data.name).not.toBe('Harbour Press')
    await app.ask('PATCH', '/v1/account', { ...asked, body: { name: before.name } })
  })

  it.each([{ credits: 1_000 }, { unlimited: true }, { name: ' ' }, { disabled: true }])(
    '422-%j is not its own to change',
    async (body) => {
      expect(await app.ask('PATCH', '/v1/account', { body })).toMatchObject({ status: 422 })
    },
  )

  it('200-the ledger, a page at a time, each entry once, and no one else’s', async () => {
    await credit(1)
    for (const amount of [2, 3, 4])
      await grantCredits(app.database.pool, { accountId: app.stranger.id, amount })
    const amounts: number[] = []
    let cursor: string | null = null
    do {
      const query = `?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`
      const { body } = await app.ask('GET', `/v1/account/credits${query}`, { key: app.stranger.key })
      expect(body.balance).toBe(10)
      amounts.push(...body.data.map(({ amount }: { amount: number }) => amount))
      cursor = body.next_cursor
    } while (cursor !== null)
    expect(amounts).toEqual([4, 3, 2, 1])
  })

  it.each(['x', '-1', '1e3', '9'.repeat(19), crypto.randomUUID()])('422-cursor %s', async (cursor) => {
    expect(await app.ask('GET', `/v1/account/credits?cursor=${cursor}`)).toMatchObject({ status: 422 })
  })
})
