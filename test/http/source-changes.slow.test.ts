import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateSecretKey } from '../../src/secrets/keyring.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

// Two processes on one database: one changes sources, and webhooks come to the other.
let database: FreshDatabase
let changing: TestApp
let receiving: TestApp
beforeAll(async () => {
  database = await freshDatabase()
  const secretKeys = generateSecretKey()
  changing = await startApp({ secretKeys }, database.connectionString)
  receiving = await startApp({ secretKeys }, database.connectionString)
})
afterAll(async () => {
  await changing.stop()
  await receiving.stop()
  await database.drop()
})

interface Source {
  id: string
  path: string
  secret: string
}

async function source(): Promise<Source> {
  const { body } = await changing.ask('POST', '/v1/sources', { body: { name: 'x', signing_secret: true } })
  return { id: body.id, path: new URL(body.data.url).pathname, secret: body.data.signing_secret }
}

/** The status of a webhook, signed in one of the two forms, at the process that changed nothing. */
async function send(path: string, secret: string, form: 'plain' | 'standard' = 'plain'): Promise<number> {
  const body = JSON.stringify(completed())
  const now = new Date()
  const headers: Record<string, string> =
    form === 'plain'
      ? { 'x-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` }
      : {
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
          'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
        }
  return (await receiving.ask('POST', path, { key: undefined, body, headers })).status
}

async function patch(id: string, body: object) {
  const answer = await changing.ask('PATCH', `/v1/sources/${id}`, { body })
  expect(answer.status).toBe(200)
  return answer.body.data
}

async function rotate(id: string, body?: object): Promise<{ path: string; until: string }> {
  const answer = await changing.ask('POST', `/v1/sources/${id}/rotate`, body === undefined ? {} : { body })
  expect(answer.status).toBe(200)
  return { path: new URL(answer.body.data.url).pathname, until: answer.body.data.previous_address_until }
}

describe('a change of a source holds at once, in every process', () => {
  it('a new signing secret, and the one before it stays valid beside it', async () => {
    const { id, path, secret } = await source()
    expect(await send(path, secret)).toBe(202)
    const changed = await patch(id, { signing_secret: true })
    expect(Date.parse(changed.previous_secret_until)).toBeGreaterThan(Date.now())
    for (const form of ['plain', 'standard'] as const) {
      expect(await send(path, changed.signing_secret, form)).toBe(202)
      expect(await send(path, secret, form)).toBe(202)
    }
  })

  it('a new signing secret that ends the one before it', async () => {
    const { id, path, secret } = await source()
    expect(await send(path, secret)).toBe(202)
    const changed = await patch(id, { signing_secret: true, previous_secret_hours: 0 })
    expect(changed.previous_secret_until).toBeNull()
    expect(await send(path, secret)).toBe(401)
    expect(await send(path, changed.signing_secret)).toBe(202)
  })

  it('the end of the secret before, asked for later', async () => {
    const { id, path, secret } = await source()
    const { signing_secret } = await patch(id, { signing_secret: true })
    expect(await send(path, secret)).toBe(202)
    await patch(id, { previous_secret_hours: 0 })
    expect(await send(path, secret)).toBe(401)
    expect(await send(path, signing_secret)).toBe(202)
  })

  it('of three secrets, the first is over', async () => {
    const { id, path, secret } = await source()
    const second = await patch(id, { signing_secret: true })
    const third = await patch(id, { signing_secret: true })
    expect(await send(path, secret)).toBe(401)
    expect(await send(path, second.signing_secret)).toBe(202)
    expect(await send(path, third.signing_secret)).toBe(202)
  })

  it('the secret before, once its time is over', async () => {
    const { id, path, secret } = await source()
    await patch(id, { signing_secret: true })
    await changing.database.pool.query('UPDATE source SET previous_secret_until = now() WHERE id = $1', [id])
    expect(await send(path, secret)).toBe(401)
    expect((await changing.ask('GET', `/v1/sources/${id}`)).body.data.previous_secret_until).toBeNull()
  })

  it('no signing any more, and then a secret again: none of before is valid', async () => {
    const { id, path, secret } = await source()
    await patch(id, { signing_secret: null })
    expect(await send(path, 'whatever it is, 16')).toBe(202)
    await patch(id, { signing_secret: true })
    expect(await send(path, secret)).toBe(401)
  })

  it('a new address that ends the one before it', async () => {
    const { id, path, secret } = await source()
    expect(await send(path, secret)).toBe(202)
    const next = await rotate(id, { overlap_hours: 0 })
    expect(await send(path, secret)).toBe(404)
    expect(await send(next.path, secret)).toBe(202)
  })

  it('a new address, and the one before it works beside it for a day', async () => {
    const { id, path, secret } = await source()
    const next = await rotate(id)
    const hours = (Date.parse(next.until) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(23)
    expect(hours).toBeLessThanOrEqual(24)
    expect((await changing.ask('GET', `/v1/sources/${id}`)).body.data.previous_address_until).toBe(next.until)
    // At once, so that one question to the database is about both.
    expect(await Promise.all([send(path, secret), send(next.path, secret)])).toEqual([202, 202])
  })

  it('of three addresses, the first is over', async () => {
    const { id, path, secret } = await source()
    const second = await rotate(id)
    const third = await rotate(id)
    expect(await send(path, secret)).toBe(404)
    expect(await send(second.path, secret)).toBe(202)
    expect(await send(third.path, secret)).toBe(202)
  })

  it('the address before, once its time is over: nothing brings it back', async () => {
    const { id, path, secret } = await source()
    await rotate(id, { overlap_hours: 2 })
    await changing.database.pool.query('UPDATE source SET previous_token_until = now() WHERE id = $1', [id])
    expect(await send(path, secret)).toBe(404)
    expect(await patch(id, { previous_address_hours: 24 })).toMatchObject({ previous_address_until: null })
    expect(await send(path, secret)).toBe(404)
  })

  it('the end of the address before, asked for later', async () => {
    const { id, path, secret } = await source()
    const next = await rotate(id)
    await patch(id, { previous_address_hours: 0 })
    expect(await send(path, secret)).toBe(404)
    expect(await send(next.path, secret)).toBe(202)
  })

  it('the secret before, whose time is over, does not come back', async () => {
    const { id, path, secret } = await source()
    await patch(id, { signing_secret: true })
    await changing.database.pool.query('UPDATE source SET previous_secret_until = now() WHERE id = $1', [id])
    expect(await patch(id, { previous_secret_hours: 24 })).toMatchObject({ previous_secret_until: null })
    expect(await send(path, secret)).toBe(401)
  })

  it('removed, the address before it too', async () => {
    const { id, path, secret } = await source()
    expect(await send(path, secret)).toBe(202)
    const next = await rotate(id)
    await changing.ask('DELETE', `/v1/sources/${id}`)
    expect([await send(path, secret), await send(next.path, secret)]).toEqual([404, 404])
  })

  it('disabled, and enabled again', async () => {
    const { id, path, secret } = await source()
    expect(await send(path, secret)).toBe(202)
    await patch(id, { disabled: true })
    expect(await send(path, secret)).toBe(404)
    await patch(id, { disabled: false })
    expect(await send(path, secret)).toBe(202)
  })

  it('removed', async () => {
    const { id, path, secret } = await source()
    expect(await send(path, secret)).toBe(202)
    await changing.ask('DELETE', `/v1/sources/${id}`)
    expect(await send(path, secret)).toBe(404)
  })

  it('disabled while a body is on its way', async () => {
    const { id, path, secret } = await source()
    const body = JSON.stringify(completed())
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    const slow = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from(body.slice(0, 10)))
        await new Promise((resolve) => setTimeout(resolve, 1_100))
        await patch(id, { disabled: true })
        controller.enqueue(Buffer.from(body.slice(10)))
        controller.close()
      },
    })
    const { status } = await fetch(`${receiving.url}${path}`, {
      method: 'POST',
      body: slow,
      duplex: 'half',
      headers: { 'x-signature-256': `sha256=${signature}` },
    } as RequestInit)
    expect(status).toBe(404)
  })
})
