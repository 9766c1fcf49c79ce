import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { GalleyError } from '../../src/errors.ts'
import { purgeOldKeys, runIdempotent } from '../../src/idempotency/idempotency.ts'
import { receiverSecretIdentity } from '../../src/notifications/signing-secrets.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp

beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const create = (key: string, body: object = { name: 'Upstream' }, apiKey = app.owner.key) =>
  app.ask('POST', '/v1/sources', { body, headers: { 'idempotency-key': key }, key: apiKey })

const sources = async (): Promise<number> => (await app.ask('GET', '/v1/sources?limit=100')).body.data.length

const row = (key: string) =>
  app.database.prisma.idempotencyKey.findUniqueOrThrow({
    where: { accountId_key: { accountId: app.owner.id, key } },
  })

/** As if the process had been killed before it kept the answer. */
const kill = (key: string) =>
  app.database.prisma.idempotencyKey.update({
    where: { accountId_key: { accountId: app.owner.id, key } },
    data: { answer: null, httpStatus: null, leasedUntil: new Date(0) },
  })

test('a repetition makes nothing and answers what was answered first, with the secret that is shown once', async () => {
  const key = randomUUID()
  const first = await create(key)
  const before = await sources()
  const second = await create(key)
  expect(first.status).toBe(201)
  expect([second.status, second.body]).toEqual([first.status, first.body])
  expect(first.body.data.url).toContain('/v1/webhooks/')
  expect(await sources()).toBe(before)
})

test('what is kept of an answer shows no secret', async () => {
  const key = randomUUID()
  const { body } = await create(key)
  const kept = JSON.stringify(await row(key))
  expect(kept).not.toContain(body.data.url.split('/').at(-1))
  expect(kept).not.toContain('Upstream')
})

test('409 IDEMPOTENCY_KEY_REUSED with another request, another call or another API key', async () => {
  const key = randomUUID()
  await create(key)
  const before = await sources()
  const others = [
    await create(key, { name: 'Another' }),
    await app.ask('POST', '/v1/connect-links', {
      body: { url: 'x.test' },
      headers: { 'idempotency-key': key },
    }),
    await create(
      key,
      undefined,
      (await app.ask('POST', '/v1/keys', { body: { name: 'Second' } })).body.data.key,
    ),
  ]
  expect(others.map(({ status, body }) => [status, body.error.code])).toEqual(
    Array.from({ length: 3 }, () => [409, 'IDEMPOTENCY_KEY_REUSED']),
  )
  expect(await sources()).toBe(before)
})

test('another account has keys of its own', async () => {
  const key = randomUUID()
  const ours = await create(key)
  const theirs = await create(key, undefined, app.stranger.key)
  expect(theirs.status).toBe(201)
  expect(theirs.body.id).not.toBe(ours.body.id)
})

test('of many at once one makes it, and the others hear 409 IDEMPOTENCY_KEY_IN_USE or the same answer', async () => {
  const key = randomUUID()
  const before = await sources()
  const answers = await Promise.all(Array.from({ length: 8 }, () => create(key)))
  expect(await sources()).toBe(before + 1)
  const made = answers.filter(({ status }) => status === 201)
  expect(new Set(made.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  for (const { status, body } of answers)
    if (status !== 201) expect([status, body.error.code]).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE'])
})

test('a request that was refused has not used its key up', async () => {
  const key = randomUUID()
  expect((await create(key, { name: 7 })).status).toBe(422)
  expect((await create(key)).status).toBe(201)
})

test('422 for a key that is too long', async () => {
  expect((await create('k'.repeat(256))).status).toBe(422)
})

test('what a killed process had made is the only one, with a secret that works', async () => {
  const key = randomUUID()
  const lost = await create(key)
  await kill(key)
  const before = await sources()
  const again = await create(key)
  expect([again.status, again.body.id]).toEqual([201, lost.body.id])
  expect(await sources()).toBe(before)
  const send = (url: string) => app.ask('POST', new URL(url).pathname, { key: undefined, body: {} })
  expect((await send(lost.body.data.url)).status).toBe(404)
  expect((await send(again.body.data.url)).status).not.toBe(404)
})

test.each([
  ['keys', { name: 'Second' }, (body: { data: { key: string } }) => body.data.key],
  ['accounts', { name: 'Third' }, (body: { data: { key: string } }) => body.data.key],
])(
  'of %s too: the secret of the attempt that was answered works, and the lost one does not',
  async (path, body, of) => {
    const headers = { 'idempotency-key': randomUUID() }
    await app.database.prisma.apiKey.updateMany({
      where: { accountId: app.owner.id },
      data: { role: 'operator' },
    })
    const make = () => app.ask('POST', `/v1/${path}`, { body, headers })
    const lost = await make()
    await kill(headers['idempotency-key'])
    const again = await make()
    expect([again.status, again.body.id]).toEqual([201, lost.body.id])
    const opens = async (key: string) => (await app.ask('GET', '/v1/account', { key })).status
    expect([await opens(of(lost.body)), await opens(of(again.body))]).toEqual([401, 200])
  },
)

/** Made by a process that was killed before it kept the answer, and once more. */
async function twice(path: string, body: object) {
  const headers = { 'idempotency-key': randomUUID() }
  const lost = await app.ask('POST', path, { body, headers })
  await kill(headers['idempotency-key'])
  const again = await app.ask('POST', path, { body, headers })
  expect([lost.status, again.status]).toEqual([again.status, lost.status])
  expect(again.status).toBeLessThan(300)
  return { lost: lost.body, again: again.body }
}

const receiver = { name: 'Newsroom', url: 'https://receiver.example/' }

/** The secrets that a receiver's notifications are signed with, the newest first. */
async function secretsOf(id: string): Promise<(string | null)[]> {
  const { secret, previousSecret } = await app.database.prisma.receiver.findUniqueOrThrow({ where: { id } })
  return [secret, previousSecret].map(
    (sealed) => sealed && app.keyring.decrypt(sealed, receiverSecretIdentity(id)),
  )
}

test('of a receiver there is one, and it is signed with the secret that was answered', async () => {
  const { lost, again } = await twice('/v1/receivers', receiver)
  expect(again.id).toBe(lost.id)
  expect(await secretsOf(again.id)).toEqual([again.data.secret, null])
  expect(again.data.secret).not.toBe(lost.data.secret)
})

test('what is rotated twice for one answer keeps beside it what was there before', async () => {
  const made = await app.ask('POST', '/v1/receivers', { body: receiver })
  const { again } = await twice(`/v1/receivers/${made.body.id}/rotate`, {})
  expect(await secretsOf(made.body.id)).toEqual([again.data.secret, made.body.data.secret])
  // Another one, under no key, has that of this one beside it.
  const next = await app.ask('POST', `/v1/receivers/${made.body.id}/rotate`, { body: {} })
  expect(await secretsOf(made.body.id)).toEqual([next.body.data.secret, again.data.secret])
  await twice(`/v1/receivers/${made.body.id}/rotate`, { previous_secret_hours: 0 })
  expect((await secretsOf(made.body.id))[1]).toBeNull()
})

test('the address of a source that is rotated twice for one answer works, and the first one beside it', async () => {
  const source = await create(randomUUID())
  const { lost, again } = await twice(`/v1/sources/${source.body.id}/rotate`, {})
  const send = async ({ data }: { data: { url: string } }) =>
    (await app.ask('POST', new URL(data.url).pathname, { key: undefined, body: {} })).status !== 404
  expect(await Promise.all([source.body, lost, again].map(send))).toEqual([true, false, true])
})

test('a key that is rotated twice for one answer has one that takes its place, and works beside it', async () => {
  const { body: old } = await app.ask('POST', '/v1/keys', { body: { name: 'Newsroom' } })
  const count = async () => (await app.ask('GET', '/v1/keys?limit=100')).body.data.length
  const before = await count()
  const { lost, again } = await twice(`/v1/keys/${old.id}/rotate`, {})
  expect(await count()).toBe(before + 1)
  expect(again.data).toMatchObject({ expires_at: null, previous_key_until: lost.data.previous_key_until })
  const opens = async (key: string) => (await app.ask('GET', '/v1/sites', { key })).status === 200
  expect(await Promise.all([old, lost, again].map(({ data }) => opens(data.key)))).toEqual([
    true,
    false,
    true,
  ])
  const { again: last } = await twice(`/v1/keys/${again.id}/rotate`, { overlap_hours: 0 })
  expect([await opens(again.data.key), await opens(last.data.key)]).toEqual([false, true])
})

test('credits are given once', async () => {
  const prisma = app.database.prisma
  await prisma.apiKey.updateMany({ where: { accountId: app.owner.id }, data: { role: 'operator' } })
  const before = await prisma.account.findUniqueOrThrow({ where: { id: app.stranger.id } })
  const { again } = await twice(`/v1/accounts/${app.stranger.id}/credits`, { amount: 70 })
  expect(again.data.credits).toBe(before.credits + 70)
  const { body } = await app.ask('GET', '/v1/account/credits', { key: app.stranger.key })
  expect(body.data).toMatchObject([{ kind: 'grant', amount: 70, job_id: null }])
})

test('a sample is sent once', async () => {
  const made = await app.ask('POST', '/v1/receivers', { body: receiver })
  await twice(`/v1/receivers/${made.body.id}/test`, {})
  expect(await app.database.prisma.notification.count({ where: { receiverId: made.body.id } })).toBe(1)
})

/** Why a call does without. */
const without = {
  beginSession: 'a browser that has one already hears so (409 SIGNED_IN_ALREADY)',
  backfillSource: 'of a document there is one question',
  repeatNotification: 'under the same webhook-id, by which whoever receives it knows it',
  checkSite: 'it looks',
  previewDocument: 'it looks',
  previewMatrix: 'it looks',
  priceDocument: 'it looks',
  priceAudio: 'it looks',
  priceImage: 'it looks',
  pauseSite: 'it is paused then',
  resumeSite: 'it is not paused then',
  retryDelivery: 'it is queued then',
  undoDelivery: 'it is queued then',
  withdrawDelivery: 'it is withdrawn then',
  cancelDelivery: 'it is cancelled then',
  cancelBulk: 'it is cancelled then',
  cancelJob: 'it is cancelled then',
  resumeJob: 'it is under way then',
}

test('every call that makes something takes one', async () => {
  const { body } = await app.ask('GET', '/openapi.json', { key: undefined })
  const posts = Object.entries<Described>(body.paths).filter(
    ([path, { post }]) => post && path.startsWith('/v1/') && !path.includes('webhooks/'),
  )
  const lacking = posts
    .map(([, { post }]) => post as Required<Described>['post'])
    .filter(({ parameters = [] }) => !parameters.some(({ name }) => name === 'idempotency-key'))
  expect(lacking.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(without).sort())
})

interface Described {
  post?: { operationId: string; parameters?: { name: string }[] }
}

const attempt = (key: string, work: Parameters<typeof runIdempotent>[2]) =>
  runIdempotent(
    { pool: app.database.pool, keyring: app.keyring },
    { accountId: app.owner.id, keyId: 'k', key, operation: 'make', request: {} },
    work,
  )

test('one that was taken for dead is followed by another under its id, and answers nothing when it comes back', async () => {
  const key = randomUUID()
  const sleeping = attempt(key, async ({ id: first }) => {
    await kill(key)
    await attempt(key, async ({ id, againSince }) => {
      await expect(
        attempt(key, async () => ({ status: 200, body: { success: true } })),
      ).rejects.toMatchObject({
        code: 'IDEMPOTENCY_KEY_IN_USE',
      })
      return { status: againSince && id === first ? 201 : 500, body: { success: true } }
    })
    return { status: 200, body: { success: true } }
  })
  await expect(sleeping).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' })
  expect((await row(key)).httpStatus).toBe(201)
})

test.each([
  ['is told to look for it, where Galley failed', new Error('out of reach'), true],
  [
    'begins afresh, where it was refused',
    new GalleyError({ code: 'NOPE', message: 'No.', httpStatus: 409 }),
    false,
  ],
])('the attempt after one that failed %s', async (_name, failure, told) => {
  const key = randomUUID()
  const fails = attempt(key, async () => {
    throw failure
  })
  await expect(fails).rejects.toBe(failure)
  let again: Date | undefined
  await attempt(key, async ({ againSince }) => {
    again = againSince
    return { status: 201, body: { success: true } }
  })
  expect(again !== undefined).toBe(told)
})

test('keys are forgotten after 24 hours, and not before', async () => {
  const [old, young] = [randomUUID(), randomUUID()]
  await create(old)
  await create(young)
  const hours = (n: number) => new Date(Date.now() - n * 3_600_000)
  const at = (key: string, createdAt: Date) =>
    app.database.prisma.idempotencyKey.update({
      where: { accountId_key: { accountId: app.owner.id, key } },
      data: { createdAt },
    })
  await at(old, hours(25))
  await at(young, hours(23))
  onTestFinished(async () => void (await at(young, new Date())))
  await purgeOldKeys(app.database.pool)
  await expect(row(old)).rejects.toThrow()
  expect((await row(young)).key).toBe(young)
})
