import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

describe('/v1/keys', () => {
  it('201-created, the key shown only once', async () => {
    const { status, body } = await app.ask('POST', '/v1/keys', { body: { name: 'Newsroom' } })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      success: true,
      id: body.data.id,
      data: { name: 'Newsroom', revoked_at: null },
    })
    expect(body.data.key).toMatch(/^gly_sk_[0-9a-f]{48}$/)
    expect(body.data.last_four).toBe(body.data.key.slice(-4))

    const list = await app.ask('GET', '/v1/keys')
    expect(list.body.data[0]).toMatchObject({ id: body.id, name: 'Newsroom' })
    expect(JSON.stringify(list.body)).not.toContain(body.data.key)
  })

  it('keeps nothing of a key but its hash and last four characters', async () => {
    const { body } = await app.ask('POST', '/v1/keys', { body: { name: 'Hashed' } })
    const { rows } = await app.database.pool.query(
      'SELECT row_to_json(k)::text AS row FROM api_key k WHERE id = $1',
      [body.id],
    )
    expect(rows[0].row).not.toContain(body.data.key.slice(7))
  })

  it('422-name-missing', async () => {
    expect(await app.ask('POST', '/v1/keys', { body: {} })).toMatchObject({
      status: 422,
      body: { error: { code: 'INVALID_REQUEST', details: [{ path: 'body.name' }] } },
    })
  })

  it('200-revoked, and again the same', async () => {
    const { body } = await app.ask('POST', '/v1/keys', { body: { name: 'Leaked' } })
    const first = await app.ask('DELETE', `/v1/keys/${body.id}`)
    expect(first).toMatchObject({
      status: 200,
      body: { data: { id: body.id, revoked_at: expect.any(String) } },
    })
    expect(await app.ask('DELETE', `/v1/keys/${body.id}`)).toMatchObject({ status: 200, body: first.body })
  })

  it('409-last-key', async () => {
    const { body } = await app.ask('GET', '/v1/keys', { key: app.stranger.key })
    expect(await app.ask('DELETE', `/v1/keys/${body.data[0].id}`, { key: app.stranger.key })).toMatchObject({
      status: 409,
      body: { error: { code: 'LAST_KEY' } },
    })
  })

  it('leaves one key when the last two are revoked at once', async () => {
    const asked = { key: app.stranger.key }
    await app.ask('POST', '/v1/keys', { ...asked, body: { name: 'Second' } })
    const { body } = await app.ask('GET', '/v1/keys', asked)
    const ids: string[] = body.data.map(({ id }: { id: string }) => id)
    await Promise.all(ids.map((id) => app.ask('DELETE', `/v1/keys/${id}`, asked)))
    const left = await app.database.prisma.apiKey.count({
      where: { accountId: app.stranger.id, revokedAt: null },
    })
    expect(left).toBe(1)
  })

  it('pages through the list, each key once', async () => {
    const made: string[] = []
    for (let n = 0; n < 3; n += 1) {
      made.push((await app.ask('POST', '/v1/keys', { body: { name: `Page ${n}` } })).body.id)
    }
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const { body } = await app.ask('GET', `/v1/keys?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`)
      expect(body.data.length).toBeLessThanOrEqual(2)
      seen.push(...body.data.map(({ id }: { id: string }) => id))
      cursor = body.next_cursor
    } while (cursor !== null)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(expect.arrayContaining(made))
  })
})
