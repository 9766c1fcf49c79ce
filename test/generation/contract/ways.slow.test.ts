import { setTimeout as sleep } from 'node:timers/promises'
import { imageSize } from 'image-size'
import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DocumentResult } from '../../../src/contract/generation/results.ts'
import { startTestGalley, type TestGalley } from '../../support/galley.ts'
import { FORBIDDEN, type Loopback, startLoopback } from './model.ts'
import { least } from './ordering.ts'

interface Status<Data = DocumentResult> {
  id: string
  status: string
  data: Data
  error: { step: string; code: string; message: string }
}
interface Audio {
  warnings: { code: string; message: string }[]
  url: string
  duration: string
  character_count: number
  format: string
}

let loopback: Loopback
let galley: TestGalley
beforeAll(async () => {
  loopback = await startLoopback()
  galley = await startTestGalley({ providers: loopback.providers })
})
afterAll(async () => {
  await galley.stop()
  await loopback.stop()
})

/** Every state that was seen on the way of a job, and how it ended. */
async function made<Data = DocumentResult>(kind: keyof typeof least, body: object = {}) {
  const asked = { ...least[kind], webhook_url: loopback.hook, ...body }
  const answer = await galley.call<{ id: string }>('POST', `/v1/${kind}/create`, asked)
  expect(answer).toMatchObject({ status: 202 })
  const { id } = answer.body
  const states: string[] = []
  for (;;) {
    const { body } = await galley.call<Status<Data>>('GET', `/v1/${kind}/status/${id}`)
    if (body.status !== states.at(-1)) states.push(body.status)
    if (body.status === 'completed' || body.status === 'failed') return { id, states, end: body }
    expect(
      Object.keys(body).filter((name) => !['success', 'id', 'status', 'progress', 'warnings'].includes(name)),
    ).toEqual([])
    await sleep(10)
  }
}

/** What was told about a job, once so much has come. */
async function told(id: string, count: number) {
  for (;;) {
    const news = loopback.received.filter(({ body }) => body.id === id)
    if (news.length >= count) return news
    await sleep(20)
  }
}

const notifySteps = (notify_steps: boolean) => galley.call('PATCH', '/v1/account', { notify_steps })

const inOrder = (states: string[], order: string[]) =>
  expect(states).toEqual(order.filter((state) => states.includes(state)))

describe('a document', { timeout: 120_000 }, () => {
  beforeEach(() => notifySteps(false))

  it('goes through its states in order, and each step is told where the account asks (T1, T2, E5, E9)', async () => {
    await notifySteps(true)
    const { id, states, end } = await made('document', {
      text: { length: 200 },
      audio: { enabled: true, format: 'wav' },
    })
    expect(end.error).toBeUndefined()
    inOrder(states, ['pending', 'researching', 'generating', 'images', 'audio', 'completed'])
    const news = await told(id, 5)
    expect(new Set(news.map(({ body }) => body.event))).toEqual(
      new Set([
        'research.completed',
        'text.completed',
        'image.completed',
        'audio.completed',
        'document.completed',
      ]),
    )
    expect(new Set(news.map(({ headers }) => headers['webhook-id'])).size).toBe(5)
  })

  it('is told once at its end, with what its status has (E1, E6, R1, R2, R4, F1)', async () => {
    const { id, end } = await made('document', { text: { length: 200 } })
    const [news, ...more] = await told(id, 1)
    expect(more).toEqual([])
    expect(news?.body).toEqual({ event: 'document.completed', id, status: 'completed', data: end.data })
    const { data } = end
    expect(data.content).toMatchObject({ type: 'document', version: '1.0' })
    expect(data.reading_time).toMatch(/^[1-9]\d* min read$/)
    expect(data.word_count).toBeGreaterThan(100)
    const featured = data.content.featured_image
    expect(data.featured_image).toBe(featured?.url)
    const file = await fetch(String(featured?.url))
    expect(file.status).toBe(200)
    const { width, height } = imageSize(Buffer.from(await file.arrayBuffer()))
    expect({ width, height }).toEqual({ width: 1536, height: 1024 })
    expect(featured).toMatchObject({ width, height, alt: expect.stringMatching(/./) })
  })

  it('without images never shows their state, and has none (T3)', async () => {
    await notifySteps(true)
    const { id, states, end } = await made('document', { text: { length: 150 }, image: { enabled: false } })
    inOrder(states, ['pending', 'researching', 'generating', 'completed'])
    expect(end.data).not.toHaveProperty('featured_image')
    expect(end.data.content).not.toHaveProperty('featured_image')
    const events = (await told(id, 3)).map(({ body }) => body.event)
    expect(events.sort()).toEqual(['document.completed', 'research.completed', 'text.completed'])
  })

  it('that moderation declines says at which step, with which code, and why (T5, E7, X4, S5)', async () => {
    const { id, end } = await made('document', { prompt: `Something that is ${FORBIDDEN}` })
    expect(end.error).toEqual({
      step: 'generating',
      code: 'CONTENT_MODERATION',
      message: expect.stringMatching(/\w/),
    })
    const [news] = await told(id, 1)
    expect(news?.body).toEqual({ event: 'document.failed', id, status: 'failed', error: end.error })
  })

  it('for a site is told with its delivery, and is on its way there (L1, E8)', async () => {
    const pool = new Pool({ connectionString: galley.connectionString })
    const siteId = crypto.randomUUID()
    await pool.query(
      `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at)
      SELECT $1, id, 'Site', 'http://127.0.0.1:9', 'http://127.0.0.1:9/wp-json/', 'galley', 'unused', now() FROM account`,
      [siteId],
    )
    await pool.end()
    const requested = { post_status: 'pending', categories: ['Science'], tags: ['tides'] }
    const { id } = await made('document', {
      text: { length: 150 },
      image: { enabled: false },
      site_id: siteId,
      ...requested,
      metadata: { author: 'Ada', publish_at: '2030-01-31T08:30:00Z' },
    })
    const [news] = await told(id, 1)
    expect(news?.body.delivery).toEqual({
      id: siteId,
      post_status: 'pending',
      metadata: {
        ...{ categories: ['Science'], tags: ['tides'] },
        ...{ author: 'Ada', publish_at: '2030-01-31T08:30:00.000Z' },
      },
    })
    const { body } = await galley.call<{ data: object[] }>('GET', `/v1/deliveries?document_id=${id}`)
    expect(body.data).toMatchObject([{ site_id: siteId, document_id: id }])
  })
})

it('audio goes from pending over generating to its end, and is a file of the length that it says (T4, E2, A8, A9, F1)', async () => {
  const { id, states, end } = await made<Audio>('audio', { text: 'The 🌊 rises.', format: 'wav' })
  inOrder(states, ['pending', 'generating', 'completed'])
  expect(end.data).toEqual({
    url: expect.stringMatching(/\/files\/[\w-]+\.wav$/),
    duration: expect.stringMatching(/^0 min [12] sec$/),
    character_count: 12,
    format: 'wav',
    warnings: [{ code: 'voice_nearest', message: expect.stringMatching(/\w/), severity: 'change' }],
  })
  const file = await fetch(end.data.url)
  expect([file.status, file.headers.get('content-type')]).toEqual([200, expect.stringContaining('wav')])
  const [news] = await told(id, 1)
  expect(news?.body).toEqual({ event: 'audio.completed', id, status: 'completed', data: end.data })
})

it.each([
  ['landscape', 1536, 1024],
  ['square', 1024, 1024],
  ['portrait', 1024, 1536],
  ['auto', 1536, 1024],
])(
  'an image of the size %s has %i by %i pixels, and its states (T4, E3, I9, F1)',
  async (size, width, height) => {
    const { id, states, end } = await made<{ url: string }>('image', { size, format: 'webp' })
    inOrder(states, ['pending', 'generating', 'completed'])
    const file = await fetch(end.data.url)
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(imageSize(Buffer.from(await file.arrayBuffer()))).toMatchObject({ width, height, type: 'webp' })
    const [news] = await told(id, 1)
    expect(news?.body).toEqual({ event: 'image.completed', id, status: 'completed', data: end.data })
  },
)

it.each([
  ['audio', { text: `Something that is ${FORBIDDEN}` }],
  ['image', { prompt: `Something that is ${FORBIDDEN}` }],
] as const)(
  '%s that is declined is told as failed, in the words of its status (T4, E2, E3, X4)',
  async (kind, body) => {
    const { id, end } = await made(kind, body)
    expect(end.error).toEqual({
      step: 'generating',
      code: 'CONTENT_MODERATION',
      message: expect.stringMatching(/\w/),
    })
    const [news] = await told(id, 1)
    expect(news?.body).toEqual({ event: `${kind}.failed`, id, status: 'failed', error: end.error })
  },
)
