import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createAccount } from '../../src/accounts/accounts.ts'
import { openDatabase } from '../../src/database/index.ts'
import { createLog } from '../../src/log.ts'
import { type Lane, openLane } from '../faults/stage/lane.ts'
import { settled, type TestGalley, webhookPath } from '../support/galley.ts'
import { answer, pages, restError } from '../support/proxy/index.ts'
import { wordpress } from '../support/wordpress/index.ts'
import { type DeliveryStage, startStage } from './stage.ts'

/** One account, with the site that it has under the id that both accounts use. */
interface Party {
  galley: TestGalley
  lane: Lane
  webhook: string
}

const siteId = randomUUID()
let stage: DeliveryStage
let owner: Party
let stranger: Party

beforeAll(async () => {
  stage = await startStage()
  const { connectionString } = stage.galley
  const database = openDatabase({ connectionString, poolSize: 1, log: createLog({ logLevel: 'fatal' }) })
  const { key } = await createAccount(database.prisma, { name: 'Another' })
  await database.close()
  owner = await join(stage.galley)
  stranger = await join({ ...stage.galley, call: callWith(stage.galley.url, key) })
})

afterAll(async () => {
  await stranger.lane.proxy.close()
  await owner.lane.proxy.close()
  await stage.close()
})

const callWith =
  (url: string, key: string): TestGalley['call'] =>
  async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }

async function join(galley: TestGalley): Promise<Party> {
  const lane = await openLane({ call: galley.call, pool: stage.pool }, { id: siteId })
  return { galley, lane, webhook: await webhookPath(galley) }
}

const send = ({ galley, webhook }: Party, body: unknown) => galley.call('POST', webhook, body)
const siteOf = async ({ galley }: Party) =>
  (await galley.call<{ data: { id: string; status: string } }>('GET', `/v1/sites/${siteId}`)).body.data
const reconnect = ({ galley }: Party) => {
  const { login, applicationPassword } = wordpress().users.editor
  const credentials = { username: login, application_password: applicationPassword }
  return galley.call('PATCH', `/v1/sites/${siteId}`, credentials)
}
const delivered = ({ galley }: Party, documentId: string) =>
  expect.poll(async () => (await settled(galley, documentId)).status, { timeout: 30_000 }).toBe('delivered')

test('one that waits for its owner does not hold what another has under the same ids', async () => {
  const document = stage.documents.make(siteId)
  owner.lane.proxy.rule({}, answer(restError(401, 'incorrect_password', 'The password is wrong.')))
  for (const party of [owner, stranger])
    expect(await send(party, document.body)).toMatchObject({ status: 202, body: { delivery: true } })
  expect(await settled(stranger.galley, document.id)).toMatchObject({ status: 'delivered' })
  expect(await settled(owner.galley, document.id)).toMatchObject({
    status: 'held',
    error: { code: 'password_wrong' },
  })
  expect([(await siteOf(owner)).status, (await siteOf(stranger)).status]).toEqual([
    'needs_owner',
    'connected',
  ])

  owner.lane.proxy.clear()
  // The one that is connected has nothing to start, and starts nothing of the other.
  expect(await reconnect(stranger)).toMatchObject({ status: 200 })
  expect(await settled(owner.galley, document.id)).toMatchObject({ status: 'held' })
  expect(await reconnect(owner)).toMatchObject({ status: 200 })
  await delivered(owner, document.id)
  const posts = await Promise.all([owner, stranger].map(({ galley }) => settled(galley, document.id)))
  expect(posts[0]?.post?.id).not.toBe(posts[1]?.post?.id)
})

test('one that is paused does not pause what another has under the same id', async () => {
  owner.lane.proxy.rule({}, answer(pages.badGateway))
  const document = stage.documents.make(siteId)
  await send(owner, document.body)
  await expect.poll(async () => (await siteOf(owner)).status, { timeout: 15_000 }).toBe('paused')
  expect(await siteOf(stranger)).toMatchObject({ id: siteId, status: 'connected' })
  const other = stage.documents.make(siteId)
  await send(stranger, other.body)
  expect(await settled(stranger.galley, other.id)).toMatchObject({ status: 'delivered' })
  owner.lane.proxy.clear()
  await delivered(owner, document.id)
})

test('one that is removed leaves what another has under the same id', async () => {
  onTestFinished(async () => {
    await stranger.lane.proxy.close()
    stranger = await join(stranger.galley)
  })
  const path = `/v1/sites/${siteId}`
  expect(await stranger.galley.call('DELETE', path)).toMatchObject({ status: 200 })
  expect(await stranger.galley.call('GET', path)).toMatchObject({ status: 404 })
  const document = stage.documents.make(siteId)
  for (const party of [owner, stranger]) await send(party, document.body)
  expect(await settled(owner.galley, document.id)).toMatchObject({ status: 'delivered' })
  expect(await settled(stranger.galley, document.id)).toMatchObject({
    status: 'held',
    error: { code: 'site_unknown' },
  })
})
