import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type TestApp } from '../../http/app.ts'
import { noProviders, someProviders } from '../providers.ts'
import { create, kinds } from './ordering.ts'

const WARNING = { code: 'nothing_found', message: 'The search found nothing.', severity: 'note' }

let app: TestApp
beforeAll(async () => {
  app = await startApp({ requestsPerMinute: 0 }, undefined, undefined, someProviders)
})
afterAll(() => app.stop())

const status = (kind: string, id: string, key = app.owner.key) =>
  app.ask('GET', `/v1/${kind}/status/${id}`, { key })

/** A job as a worker would have left it. */
async function left(kind: (typeof kinds)[number], columns: Record<string, unknown>): Promise<string> {
  const { id } = (await create(app, kind)).body
  const sets = Object.keys(columns).map((name, n) => `${name} = $${n + 2}`)
  await app.database.pool.query(`UPDATE generation_job SET ${sets.join(', ')} WHERE id = $1`, [
    id,
    ...Object.values(columns),
  ])
  return id
}

const answered = async (jobId: string, step: string, names: string[]) => {
  for (const name of names)
    await app.database.pool.query(
      `INSERT INTO generation_part (job_id, step, name, answer, answered_at) VALUES ($1, $2, $3, '{}', now())`,
      [jobId, step, name],
    )
}

describe.each(kinds)('a job for %s', (kind) => {
  it('202-accepted: success and id, stored, charged and queued (C1, C2)', async () => {
    const { status, body } = await create(app, kind)
    expect(status).toBe(202)
    expect(body).toEqual({
      success: true,
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    })
    const { rows } = await app.database.pool.query(
      `SELECT job.kind, job.status, job.price, entry.kind AS entry, entry.amount, entry.price AS entered,
        (SELECT count(*)::int FROM graphile_worker.jobs WHERE key = 'generate:' || job.id) AS queued
      FROM generation_job job JOIN credit_entry entry ON entry.job_id = job.id WHERE job.id = $1`,
      [body.id],
    )
    const price = { document: 20, audio: 2, image: 4 }[kind]
    expect(rows).toEqual([
      { kind, status: 'pending', price, entry: 'charge', amount: 0, entered: price, queued: 1 },
    ])
  })

  it('200-pending: success, id and status, and nothing else (S1, S2)', async () => {
    const { body } = await create(app, kind)
    expect(await status(kind, body.id)).toMatchObject({ status: 200 })
    expect((await status(kind, body.id)).body).toEqual({ success: true, id: body.id, status: 'pending' })
    expect((await status(kind, body.id.toUpperCase())).body.id).toBe(body.id)
  })

  it('200-failed: success speaks of the request, error says step, code and message (S5)', async () => {
    const error = {
      step: 'generating',
      code: 'CONTENT_MODERATION',
      message: 'The provider declined.',
    }
    const id = await left(kind, { status: 'failed', error })
    expect(await status(kind, id)).toMatchObject({ status: 200 })
    expect((await status(kind, id)).body).toEqual({ success: true, id, status: 'failed', error })
  })

  it('404-unknown, malformed, of another account, or of another kind (S6)', async () => {
    const { id } = (await create(app, kind)).body
    const missing = { status: 404, body: { success: false, error: { code: 'NOT_FOUND' } } }
    expect(await status(kind, crypto.randomUUID())).toMatchObject(missing)
    for (const malformed of ['1', 'x', `${id}0`, '%00', `${id}%00`, "'--", '..%2F..%2Fkeys'])
      expect(await status(kind, malformed)).toMatchObject(missing)
    expect(await status(kind, id, app.stranger.key)).toMatchObject(missing)
    for (const other of kinds) if (other !== kind) expect(await status(other, id)).toMatchObject(missing)
  })
})

describe('the status of a document', () => {
  it('200-a step with parts tells how many are done (S3)', async () => {
    const id = await left('document', { status: 'generating', progress: { researching: 2, generating: 5 } })
    await answered(id, 'researching', ['page-1', 'page-2'])
    await answered(id, 'generating', ['outline', 'section-1', 'section-2'])
    expect((await status('document', id)).body).toEqual({
      success: true,
      id,
      status: 'generating',
      progress: { researching: { done: 2, of: 2 }, generating: { done: 3, of: 5 } },
    })
  })

  it.each(['researching', 'generating', 'images', 'audio'])('200-%s (S1)', async (step) => {
    const id = await left('document', { status: step })
    expect((await status('document', id)).body).toEqual({ success: true, id, status: step })
  })

  it('200-completed: data is the document, every kind of block in it (S4, R1, R2, R3)', async () => {
    const meta = {
      title: 'Tides',
      slug: 'tides',
      description: 'How tides come about.',
      word_count: 900,
      reading_time: '4 min read',
    }
    const picture = { url: 'https://galley.example/files/a.png', alt: 'A harbour', width: 1536, height: 1024 }
    const audio = {
      url: 'https://galley.example/files/b.mp3',
      duration: '5 min 3 sec',
      character_count: 5_400,
      format: 'mp3',
    }
    const { title, description, word_count, reading_time } = meta
    const result = {
      title,
      description,
      featured_image: picture.url,
      content: {
        type: 'document',
        version: '1.0',
        meta,
        featured_image: picture,
        content: [
          { type: 'heading', level: 1, text: 'Tides' },
          {
            type: 'paragraph',
            content: [
              ...['text', 'bold', 'italic', 'code'].map((type) => ({ type, text: 'sea' })),
              { type: 'link', text: 'tables', url: 'https://example.com/' },
            ],
          },
          { type: 'list', ordered: true, items: ['High water', 'Low water'] },
          { type: 'table', headers: ['Port'], rows: [['Bristol']] },
          { type: 'code_block', language: 'ts', value: 'ebb()' },
          { type: 'image', url: picture.url, alt: 'A harbour', image_type: 'photograph' },
          { type: 'quote', value: 'Time and tide wait for no man.' },
        ],
      },
      word_count,
      reading_time,
      audio,
    }
    const id = await left('document', {
      status: 'completed',
      result,
      progress: { generating: 5 },
      warnings: JSON.stringify([WARNING]),
    })
    expect((await status('document', id)).body).toEqual({
      success: true,
      id,
      status: 'completed',
      data: result,
      warnings: [WARNING],
    })
  })
})

it('200-completed: data of audio and of an image (S7, S8)', async () => {
  const audio = {
    url: 'https://galley.example/files/b.mp3',
    duration: '0 min 2 sec',
    character_count: 24,
    format: 'mp3',
  }
  const spoken = await left('audio', { status: 'completed', result: audio })
  expect((await status('audio', spoken)).body).toEqual({
    success: true,
    id: spoken,
    status: 'completed',
    data: audio,
  })
  const image = { url: 'https://galley.example/files/a.png' }
  const drawn = await left('image', { status: 'completed', result: image })
  expect((await status('image', drawn)).body).toEqual({
    success: true,
    id: drawn,
    status: 'completed',
    data: image,
  })
})

describe('who asks', () => {
  it.each(kinds)('401-without a key, and with one that does not exist: %s (K1, K2, K4)', async (kind) => {
    const id = (await create(app, kind)).body.id
    const unknown = `gly_sk_${'0'.repeat(48)}`
    expect(unknown).toHaveLength(55)
    for (const [key, code] of [
      [undefined, 'UNAUTHENTICATED'],
      [unknown, 'INVALID_API_KEY'],
      ['some_sk_x', 'INVALID_API_KEY'],
    ] as const) {
      const refused = { status: 401, body: { success: false, error: { code, message: expect.any(String) } } }
      expect(await create(app, kind, {}, { key })).toMatchObject(refused)
      expect(await app.ask('GET', `/v1/${kind}/status/${id}`, { key })).toMatchObject(refused)
    }
  })

  it('202-with the key in either header (K3)', async () => {
    const asked = { key: undefined, headers: { 'x-api-key': app.owner.key } }
    expect(await create(app, 'image', {}, asked)).toMatchObject({ status: 202 })
    expect(await create(app, 'image')).toMatchObject({ status: 202 })
  })
})

describe('of several things that are wrong the first is answered: 401, 403, 422, 402, 503 (C4)', () => {
  let poor: TestApp
  beforeAll(async () => {
    poor = await startApp({ requestsPerMinute: 0 }, undefined, undefined, noProviders)
  })
  afterAll(() => poor.stop())
  const limited = (unlimited: boolean, disabledAt: Date | null) =>
    poor.database.prisma.account.update({
      where: { id: poor.stranger.id },
      data: { unlimited, disabledAt },
    })

  it.each(kinds)('of %s', async (kind) => {
    const wrong = { webhook_url: 'nowhere' }
    const asked = { key: poor.stranger.key }
    await limited(false, new Date())
    expect(await create(poor, kind, wrong, { key: undefined })).toMatchObject({ status: 401 })
    expect(await create(poor, kind, wrong, asked)).toMatchObject({
      status: 403,
      body: { error: { code: 'ACCOUNT_DISABLED' } },
    })
    await limited(false, null)
    expect(await create(poor, kind, wrong, asked)).toMatchObject({ status: 422 })
    expect(await create(poor, kind, {}, asked)).toMatchObject({
      status: 402,
      body: { error: { code: 'INSUFFICIENT_CREDITS' } },
    })
    await limited(true, null)
    const { status, body } = await create(poor, kind, {}, asked)
    expect([status, body.error.code]).toEqual([503, 'PROVIDER_NOT_CONFIGURED'])
    expect(body.error.message).toContain('GALLEY_PROVIDERS')
  })

  it('422-a site that is not there comes before 402 as well', async () => {
    await limited(false, null)
    const body = { site_id: crypto.randomUUID() }
    expect(await create(poor, 'document', body, { key: poor.stranger.key })).toMatchObject({ status: 422 })
  })

  it('503-names the three settings without a language model, and nothing is stored or charged (C5)', async () => {
    const { body } = await create(poor, 'document')
    for (const name of ['GALLEY_AI_URL', 'GALLEY_AI_KEY', 'GALLEY_AI_MODEL'])
      expect(body.error.message).toContain(name)
    expect(body.error.details.settings).toContain('GALLEY_AI_URL')
    const { rows } = await poor.database.pool.query(
      'SELECT (SELECT count(*) FROM generation_job) + (SELECT count(*) FROM credit_entry) AS count',
    )
    expect(rows).toEqual([{ count: '0' }])
  })
})

describe('what is no JSON, or too much of it', () => {
  it.each([
    ['{"prompt": "How tides', 400, 'MALFORMED_JSON'],
    ['"How tides come about"', 400, 'MALFORMED_JSON'],
    ['[]', 422, 'INVALID_REQUEST'],
    [`{"prompt": "${'x'.repeat(1024 * 1024)}"}`, 413, 'BODY_TOO_LARGE'],
    [`{"prompt": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 422, undefined],
  ])('%.20s… is answered %i (X3)', async (body, status, code) => {
    const answer = await app.ask('POST', '/v1/document/create', { body })
    expect(answer.status).toBe(status)
    expect(answer.body.success).toBe(false)
    if (code !== undefined) expect(answer.body.error.code).toBe(code)
  })

  it('and what is called like a member of every object is a stranger like any other', async () => {
    const body = '{"prompt": "How tides come about", "__proto__": {"model": "basic"}, "constructor": 1}'
    expect(await app.ask('POST', '/v1/document/create', { body })).toMatchObject({ status: 422 })
  })

  it('405-another method (C3)', async () => {
    expect(await app.ask('GET', '/v1/document/create')).toMatchObject({ status: 405 })
    expect(await app.ask('POST', `/v1/document/status/${crypto.randomUUID()}`)).toMatchObject({ status: 405 })
  })
})
