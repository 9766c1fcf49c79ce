import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../src/database/client.ts'
import { createLog } from '../src/log/log.ts'
import { createApiKey, generateSecretKey, openKeyring, parseSecretKeys } from '../src/secrets/keyring.ts'
import { sealedPassword } from '../src/sites/connection.ts'
import { type FreshDatabase, freshDatabase } from './support/database/fresh-database.ts'
import { startTestGalley, type TestGalley, webhookPath } from './support/galley.ts'
import { completed } from './support/webhooks.ts'

const right = generateSecretKey()
const [rightId] = right.split(':') as [string]
const sameName = `${rightId}:${generateSecretKey().split(':')[1]}`
const otherName = generateSecretKey()
const adminKey = createApiKey()

let fresh: FreshDatabase
let galley: TestGalley
const siteId = randomUUID()
/** Where signed webhooks go. */
let signed: string
let plain: string

const start = async (secretKeys: string): Promise<void> => {
  galley = await startTestGalley({ secretKeys, adminKey }, fresh)
}
const restart = async (secretKeys: string): Promise<void> => {
  await galley.stop()
  await start(secretKeys)
}

beforeEach(async () => {
  fresh = await freshDatabase()
  await start(right)
  const source = { name: 'signs', signing_secret: true }
  const made = await galley.call<{ data: { url: string } }>('POST', '/v1/sources', source)
  signed = new URL(made.body.data.url).pathname
  plain = await webhookPath(galley)
  await connect()
})
afterEach(async () => {
  await galley.stop()
  await fresh.drop()
})

/** A site that nothing listens for: what happens to its secret is all that counts. */
async function connect(): Promise<void> {
  const database = openDatabase({ ...fresh, poolSize: 1, log: createLog({ logLevel: 'fatal' }) })
  const { id: accountId } = await database.prisma.account.findFirstOrThrow()
  const keyring = openKeyring(parseSecretKeys(right, 'this test'))
  const url = 'http://127.0.0.1:1'
  const restRoot = `${url}/wp-json/`
  const password = { applicationPassword: 'secret', restRoot }
  await database.prisma.site.create({
    data: {
      id: siteId,
      accountId,
      name: 'A site',
      url,
      restRoot,
      username: 'editor',
      passwordUuid: randomUUID(),
      applicationPassword: sealedPassword(keyring, { accountId, id: siteId }, password),
    },
  })
  await database.close()
}

const ready = () => galley.call<{ error: { code: string; message: string } }>('GET', '/readyz')
const site = async () =>
  (
    await galley.call<{ data: { status: string; trouble: { code: string } | null } }>(
      'GET',
      `/v1/sites/${siteId}`,
    )
  ).body.data

const until = (code: string | undefined) => expect.poll(async () => (await site()).trouble?.code).toBe(code)

test.each([
  [
    'the key is missing',
    otherName,
    'secret_key_missing',
    /"\w+", which encrypted the secrets of 1 site and 1 source, is not among them/,
  ],
  [
    'another key has its name',
    sameName,
    'secret_unreadable',
    /is not the one that encrypted the secrets of 1 site and 1 source/,
  ],
])(
  'where %s, Galley takes webhooks in, is not ready, and says why wherever a secret is needed',
  async (_, keys, code, sentence) => {
    expect(await ready()).toMatchObject({ status: 200 })
    await restart(keys)
    const { status, body } = await ready()
    expect([status, body.error.code]).toEqual([503, 'SECRET_KEYS_UNFIT'])
    expect(body.error.message).toMatch(sentence)

    const webhook = completed({ id: randomUUID(), siteId })
    expect(await galley.call('POST', plain, webhook)).toMatchObject({ status: 202 })
    expect(await galley.call('POST', signed, webhook)).toMatchObject({
      status: 503,
      body: { error: { code: code.toUpperCase() } },
    })
    const calls = [
      ['POST', `/v1/sites/${siteId}/check`, undefined],
      ['POST', `/v1/sites/${siteId}/preview`, { data: webhook.data }],
      ['PATCH', `/v1/sites/${siteId}`, { username: 'author' }],
      ['PATCH', `/v1/sites/${siteId}`, { author: 'author' }],
      ['DELETE', `/v1/sites/${siteId}?revoke=true`, undefined],
    ] as const
    for (const [method, path, sent] of calls) {
      const answer = await galley.call<{ error: { code: string; message: string } }>(method, path, sent)
      expect([method, path, answer.status, answer.body.error.code]).toEqual([
        method,
        path,
        503,
        code.toUpperCase(),
      ])
    }
    await until(code)

    await restart(right)
    expect(await ready()).toMatchObject({ status: 200 })
    // Nothing listens there: that it is tried is all that can be seen.
    await until('site_unreachable')
  },
  180_000,
)

test('with another key under the same name nothing new is encrypted, which the right one could not read', async () => {
  await restart(sameName)
  const answer = await galley.call('POST', '/v1/sources', { name: 'new', signing_secret: true })
  expect(answer).toMatchObject({ status: 503, body: { error: { code: 'SECRET_KEYS_UNFIT' } } })
  await restart(otherName)
  expect(await galley.call('POST', '/v1/sources', { name: 'new', signing_secret: true })).toMatchObject({
    status: 201,
  })
}, 180_000)

test('a new key before the old one fits', async () => {
  await restart(`${otherName},${right}`)
  expect(await ready()).toMatchObject({ status: 200 })
}, 180_000)
