import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey } from '../../src/accounts/keys.ts'
import { someProviders } from '../generation/providers.ts'
import { operatorKey, startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({}, undefined, undefined, someProviders)
})
afterAll(() => app.stop())

const order = async (kind: string, body: object, key?: string): Promise<string> =>
  (await app.ask('POST', `/v1/${kind}/create`, { body, ...(key && { key }) })).body.id

describe('GET /v1/jobs', () => {
  it('200-the newest first, page by page, each with its kind, price and how what was asked for begins', async () => {
    const long = 'The sea rises and falls. '.repeat(40)
    const ids = [
      await order('document', { prompt: 'Why the tide comes twice a day' }),
      await order('audio', { text: long }),
      await order('image', { prompt: 'A harbour at low water' }),
    ]
    const { body } = await app.ask('GET', '/v1/jobs?limit=2')
    expect(body.data).toMatchObject([
      {
        id: ids[2],
        kind: 'image',
        status: 'pending',
        title: 'A harbour at low water',
        price: 4,
        error: null,
      },
      { id: ids[1], kind: 'audio', title: long.slice(0, 200), price: 2, ended_at: null },
    ])
    const rest = await app.ask('GET', `/v1/jobs?limit=2&cursor=${body.next_cursor}`)
    expect(rest.body).toMatchObject({ data: [{ id: ids[0], kind: 'document' }], next_cursor: null })
    expect((await app.ask('GET', '/v1/jobs', { key: app.stranger.key })).body.data).toEqual([])
  })

  it('200-only those of a kind, in some states or with a text, page by page', async () => {
    const first = await order('audio', { text: 'The sea rises and falls.' })
    const second = await order('audio', { text: 'The sea falls and rises.' })
    await app.database.pool.query(`UPDATE generation_job SET status = 'failed' WHERE id = $1`, [first])
    const list = async (query: string) => (await app.ask('GET', `/v1/jobs?${query}`)).body
    const ids = async (query: string) => (await list(query)).data.map(({ id }: { id: string }) => id)
    expect(await ids('kind=audio&status=failed')).toEqual([first])
    expect(await ids('status=failed&status=completed')).toEqual([first])
    const page = await list('kind=audio&limit=1')
    expect(page.data).toMatchObject([{ id: second }])
    expect(await ids(`kind=audio&limit=1&cursor=${page.next_cursor}`)).toEqual([first])
    expect(await ids('search=FALLS+and+rises')).toEqual([second])
    expect(await ids(`search=${first}`)).toEqual([first])
    expect(await ids('search=nowhere')).toEqual([])
    expect((await app.ask('GET', '/v1/jobs?kind=video')).status).toBe(422)
  })

  it('403-a source, which reads those whose id it knows', async () => {
    const { prisma } = app.database
    const { key } = await createKey(prisma, { accountId: app.owner.id, name: 'A sender', role: 'source' })
    const id = await order('image', { prompt: 'A harbour at low water' }, key)
    expect((await app.ask('GET', '/v1/jobs', { key })).status).toBe(403)
    expect((await app.ask('GET', `/v1/image/status/${id}`, { key })).status).toBe(200)
  })
})

describe('the cost of a job', () => {
  const charge = (jobId: string, step: string, part: string, model: string, more: object) =>
    app.database.pool.query(
      `INSERT INTO generation_call (id, key, job_id, step, part, provider, model, outcome, usage, cost_micros)
       SELECT id, id, $1, $2, $3, 'lab', $4, row.outcome, row.usage, row.micros
       FROM uuidv7() AS id, jsonb_to_record($5) AS row (outcome text, usage jsonb, micros bigint)`,
      [jobId, step, part, model, JSON.stringify(more)],
    )
  const costOf = async (id: string, key?: string) =>
    (await app.ask('GET', `/v1/jobs/${id}`, { ...(key && { key }) })).body.data.cost

  it('200-while it runs, in money and tokens, by step, provider and model', async () => {
    const key = await operatorKey(app)
    const id = await order('document', { prompt: 'Why the tide comes twice a day' })
    expect(await costOf(id, key)).toEqual({ amount: null, usage: {}, calls: 0, unpriced: 0, by: [] })
    const tokens = (input_tokens: number, output_tokens: number) => ({ input_tokens, output_tokens })
    const answered = { outcome: 'answered' }
    await charge(id, 'researching', 'queries', 'small', { ...answered, usage: tokens(90, 10), micros: 40 })
    await charge(id, 'generating', 'outline', 'large', {
      ...answered,
      usage: tokens(1000, 500),
      micros: 2_000,
    })
    await charge(id, 'generating', 'section-1', 'large', {
      ...answered,
      usage: tokens(2000, 900),
      micros: 500,
    })
    await charge(id, 'generating', 'section-2', 'large', { outcome: 'failed' })
    await charge(id, 'generating', 'section-2', 'large', { outcome: 'lost' })
    await charge(id, 'generating', 'section-2', 'local', { ...answered, usage: tokens(5, 6) })
    await charge(id, 'images', 'picture-featured', 'paint', {
      ...answered,
      usage: { images: 1 },
      micros: 60_000,
    })
    expect(await costOf(id, key)).toEqual({
      amount: 0.06254,
      usage: { input_tokens: 3_095, output_tokens: 1_416, images: 1 },
      calls: 6,
      unpriced: 2,
      by: [
        cost('researching', 'small', { amount: 0.00004, usage: tokens(90, 10), calls: 1, unpriced: 0 }),
        cost('generating', 'large', { amount: 0.0025, usage: tokens(3000, 1400), calls: 3, unpriced: 1 }),
        cost('generating', 'local', { amount: null, usage: tokens(5, 6), calls: 1, unpriced: 1 }),
        cost('images', 'paint', { amount: 0.06, usage: { images: 1 }, calls: 1, unpriced: 0 }),
      ],
    })
  })

  it('200-is not told to an owner, whose Galley it need not be', async () => {
    const id = await order('document', { prompt: 'Why the tide comes twice a day' })
    await charge(id, 'generating', 'outline', 'large', { outcome: 'answered', micros: 2_000 })
    expect(await costOf(id)).toBeNull()
  })

  const cost = (step: string, model: string, sum: object) => ({ step, provider: 'lab', model, ...sum })
})

it('200-a job that was cancelled before it began gives back all that it cost, and says so in its status', async () => {
  const id = await order('document', { prompt: 'Why the tide comes twice a day' })
  const { body } = await app.ask('POST', `/v1/jobs/${id}/cancel`)
  expect(body.data).toMatchObject({ id, status: 'cancelled', price: 20, refunded: 20, error: null })
  expect((await app.ask('GET', `/v1/document/status/${id}`)).body).toEqual({
    success: true,
    id,
    status: 'cancelled',
  })
  expect((await app.ask('GET', '/v1/jobs?status=cancelled')).body.data).toMatchObject([{ id }])
  expect((await app.ask('POST', `/v1/jobs/${id}/cancel`)).status).toBe(200)
  expect((await app.ask('POST', `/v1/jobs/${id}/cancel`, { key: app.stranger.key })).status).toBe(404)
})

describe('GET /v1/jobs/{uuid}', () => {
  it('200-what was asked for with every default, the steps that it goes through, and pages that were read', async () => {
    const id = await order('document', {
      prompt: 'Why the tide comes twice a day',
      image: { enabled: false },
    })
    const page = { url: 'https://tides.example/', title: 'Tides', text: 'Because of the Moon.' }
    const answers = {
      'page-10': { ...page, title: 'The same, later' },
      'page-2': page,
      'page-1': { unread: 'its robots.txt forbids it' },
      queries: { not: 'a page' },
    }
    for (const [name, answer] of Object.entries(answers))
      await app.database.pool.query(
        `INSERT INTO generation_part (job_id, step, name, answer, answered_at)
         VALUES ($1, 'researching', $2, jsonb_build_object('text', $3::text), now())`,
        [id, name, JSON.stringify(answer)],
      )
    await app.database.pool.query(`UPDATE generation_job SET progress = '{"researching": 6}' WHERE id = $1`, [
      id,
    ])
    const { body } = await app.ask('GET', `/v1/jobs/${id}`)
    expect(body.data).toMatchObject({
      kind: 'document',
      request: { prompt: 'Why the tide comes twice a day', text: { length: 2000, model: 'standard' } },
      steps: [
        { step: 'researching', of: 6 },
        { step: 'generating', of: null, parts: [] },
      ],
      sources: [{ url: page.url, published: null }],
    })
    expect(body.data.steps).toHaveLength(2)
    expect(body.data.steps[0].parts.map(({ name }: { name: string }) => name).toSorted()).toEqual(
      Object.keys(answers).toSorted(),
    )
  })

  it('404-of another account', async () => {
    const id = await order('image', { prompt: 'A harbour at low water' })
    expect((await app.ask('GET', `/v1/jobs/${id}`, { key: app.stranger.key })).status).toBe(404)
  })
})

describe('POST /v1/{kind}/price', () => {
  const dear = { prompt: 'Why the tide comes twice a day', model: 'advanced', audio: { enabled: true } }

  it('200-the price that the job then has, and makes nothing', async () => {
    const before = (await app.ask('GET', '/v1/jobs')).body.data.length
    const { status, body } = await app.ask('POST', '/v1/document/price', { body: dear })
    expect({ status, data: body.data }).toEqual({
      status: 200,
      data: { price: expect.any(Number), credits: null, unavailable: null },
    })
    expect((await app.ask('GET', '/v1/jobs')).body.data).toHaveLength(before)
    const id = await order('document', dear)
    expect((await app.ask('GET', `/v1/jobs/${id}`)).body.data.price).toBe(body.data.price)
  })

  it('200-with what the account has, where it has a limit', async () => {
    const { prisma } = app.database
    await prisma.account.update({ where: { id: app.stranger.id }, data: { credits: 7, unlimited: false } })
    const answer = await app.ask('POST', '/v1/image/price', {
      key: app.stranger.key,
      body: { prompt: 'A harbour at low water' },
    })
    expect(answer.body.data).toEqual({ price: 4, credits: 7, unavailable: null })
  })

  it('422-every wrong field, as the order would be refused', async () => {
    const body = { prompt: 'short', text: { length: 5 }, site_id: crypto.randomUUID() }
    const [price, create] = await Promise.all(
      ['price', 'create'].map((call) => app.ask('POST', `/v1/document/${call}`, { body })),
    )
    expect(price).toMatchObject({ status: 422 })
    expect(price?.body.error).toEqual(create?.body.error)
    const unknown = { prompt: 'How tides come about', site_id: crypto.randomUUID() }
    const refused = await app.ask('POST', '/v1/document/price', { body: unknown })
    expect(refused.body.error.details).toMatchObject([{ path: 'body.site_id' }])
  })

  it('200-what whoever runs it sets, where nobody can make it', async () => {
    const other = await startApp()
    try {
      const { status, body } = await other.ask('POST', '/v1/document/price', {
        body: { prompt: 'How tides come about' },
      })
      expect({ status, settings: body.data.unavailable.settings }).toEqual({
        status: 200,
        settings: expect.arrayContaining(['GALLEY_AI_URL', 'GALLEY_AI_MODEL']),
      })
      expect(body.data.unavailable.message).toContain('No provider is set up for text')
    } finally {
      await other.stop()
    }
  })
})
