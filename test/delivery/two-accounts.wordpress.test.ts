import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createAccount } from '../../src/accounts/accounts.ts'
import { openDatabase } from '../../src/database/client.ts'
import { orphansJob } from '../../src/delivery/jobs.ts'
import { enqueue } from '../../src/jobs/job.ts'
import { createLog } from '../../src/log/log.ts'
import type { FaultDocument } from '../faults/stage/documents.ts'
import { type Lane, openLane } from '../faults/stage/lane.ts'
import { settled, type TestGalley, webhookPath } from '../support/galley.ts'
import { answer, type Exchange, pages, resetAfter, restError } from '../support/proxy/index.ts'
import { type RestItem, rest, wordpress } from '../support/wordpress/index.ts'
import { postsOf } from './plugin-lane.ts'
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
  stage = await startStage({ orphansAfterMs: 500, firstBackoffMs: 60 }, { picture: false })
  const { connectionString } = stage.galley
  const database = openDatabase({ connectionString, poolSize: 1, log: createLog({ logLevel: 'fatal' }) })
  const { key } = await createAccount(database.pool, { name: 'Another' })
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
  (
    await galley.call<{ data: { id: string; state: string; trouble: object | null } }>(
      'GET',
      `/v1/sites/${siteId}`,
    )
  ).body.data
const reconnect = ({ galley }: Party) => {
  const { login, applicationPassword } = wordpress().users.editor
  const credentials = { username: login, application_password: applicationPassword }
  return galley.call('PATCH', `/v1/sites/${siteId}`, credentials)
}
const delivered = ({ galley }: Party, documentId: string) =>
  expect.poll(async () => (await settled(galley, documentId)).status).toBe('delivered')

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
  expect(await siteOf(owner)).toMatchObject({ state: 'needs_owner' })
  expect(await siteOf(stranger)).toMatchObject({ trouble: null })

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
  await expect.poll(async () => (await siteOf(owner)).state).toBe('down')
  expect(await siteOf(stranger)).toMatchObject({ id: siteId, trouble: null })
  const other = stage.documents.make(siteId)
  await send(stranger, other.body)
  expect(await settled(stranger.galley, other.id)).toMatchObject({ status: 'delivered' })
  owner.lane.proxy.clear()
  await delivered(owner, document.id)
})

/** Keeps a party's posts as they were reserved, until that is over. */
const holdFills = (party: Party) =>
  hold(party, /posts\/\d+/, async ({ forward, reply }, over) => {
    await over
    reply(await forward())
  })

/** Keeps what the site answers to a party's reserves on the way, until that is over. */
const holdAnswers = (party: Party) =>
  hold(party, '/wp/v2/posts', async ({ forward, reply }, over) => {
    const answer = await forward()
    await over
    reply(answer)
  })

/** Keeps what a party has the site delete on the way, until that is over. @returns how many there are, and what ends it */
function holdRemovals(party: Party) {
  let held = 0
  const release = hold(
    party,
    /(posts|media)\/\d+/,
    async ({ forward, reply }, over) => {
      held += 1
      await over
      reply(await forward())
    },
    'DELETE',
  )
  return { held: () => held, release }
}

function hold(
  { lane }: Party,
  path: string | RegExp,
  apply: (exchange: Exchange, over: Promise<void>) => Promise<void>,
  method = 'POST',
): () => void {
  let release = () => {}
  const over = new Promise<void>((resolve) => {
    release = resolve
  })
  lane.proxy.rule({ method, path }, { name: 'held', apply: (exchange) => apply(exchange, over) })
  return () => {
    release()
    lane.proxy.clear()
  }
}

test('a document that both send at once is a post of each, and none takes the other’s', async () => {
  const document = stage.documents.make(siteId)
  // The owner's reserve stands on the site, and has the slug that both look for.
  const release = holdFills(owner)
  await send(owner, document.body)
  await expect.poll(() => postOf(owner, document.id)).toBeTypeOf('number')
  await send(stranger, document.body)
  await delivered(stranger, document.id)
  release()
  await delivered(owner, document.id)
  const [theirs, ours] = [await postOf(stranger, document.id), await postOf(owner, document.id)]
  expect(theirs).toBeTypeOf('number')
  expect(theirs).not.toBe(ours)
  // Nobody waits for the other: whoever is filled later has a number behind its slug.
  const { warnings } = await settled(owner.galley, document.id)
  expect(warnings.map(({ code }) => code)).toEqual(['slug_changed'])
  expect(await settled(stranger.galley, document.id)).toMatchObject({ warnings: [], attempts: 0 })
  expect(new Set((await postsOf(document)).map(({ id }) => id))).toEqual(new Set([ours, theirs]))
})

test('one does not take the post that the other has made and not heard of yet', async () => {
  const document = stage.documents.make(siteId)
  const release = holdAnswers(owner)
  await send(owner, document.body)
  await expect.poll(() => postsOf(document)).toHaveLength(1)
  await send(stranger, document.body)
  await expect.poll(() => reasonOf(stranger, document.id)).toMatch(/marker_taken|delivered/)
  release()
  await delivered(owner, document.id)
  await delivered(stranger, document.id)
  const both = [await postOf(stranger, document.id), await postOf(owner, document.id)]
  expect(new Set(both).size).toBe(2)
  expect(new Set((await postsOf(document)).map(({ id }) => id))).toEqual(new Set(both))
})

test('two that both heard nothing of what they made are not in each other’s way for ever', async () => {
  const document = stage.documents.make(siteId)
  const parties = [owner, stranger]
  // Both look for what they have made while the other does.
  let looking = 0
  const meet = async ({ forward, reply }: Exchange) => {
    looking += 1
    await expect.poll(() => looking).toBe(parties.length)
    reply(await forward())
  }
  for (const { lane } of parties) {
    lane.proxy.rule({ method: 'POST', path: '/wp/v2/posts', nth: 1 }, resetAfter)
    lane.proxy.rule({ method: 'GET', path: '/wp/v2/posts', nth: 1 }, { name: 'met', apply: meet })
  }
  for (const party of parties) await send(party, document.body)
  for (const party of parties) await delivered(party, document.id)
  for (const { lane } of parties) lane.proxy.clear()
  expect(looking).toBe(parties.length)
  expect(await postOf(stranger, document.id)).not.toBe(await postOf(owner, document.id))
})

test('one that is tidied leaves the post that the other has just begun', async () => {
  const document = stage.documents.make(siteId)
  await send(owner, document.body)
  await delivered(owner, document.id)
  const release = holdFills(stranger)
  await send(stranger, document.body)
  await expect.poll(() => postOf(stranger, document.id)).toBeTypeOf('number')
  const begun = await postOf(stranger, document.id)
  const deliveryId = await tidyDelivered(document)
  await expect.poll(() => isTidied(deliveryId)).toBe(true)
  release()
  await delivered(stranger, document.id)
  expect(await postOf(stranger, document.id)).toBe(begun)
})

test('one that is tidied leaves the post that the other has made and not heard of yet', async () => {
  const document = stage.documents.make(siteId)
  await send(owner, document.body)
  await delivered(owner, document.id)
  const release = holdAnswers(stranger)
  await send(stranger, document.body)
  await expect.poll(() => postsOf(document)).toHaveLength(2)
  const deliveryId = await tidyDelivered(document)
  const looked = async () => {
    const { rows } = await stage.pool.query(
      `SELECT FROM delivery d WHERE id = $1 AND (ambiguous_at IS NULL OR EXISTS (
         SELECT FROM graphile_worker._private_jobs
         WHERE key = 'reconcile_orphans:' || d.id AND (payload ->> 'tries')::int = 1))`,
      [deliveryId],
    )
    return rows.length
  }
  await expect.poll(looked).toBe(1)
  const both = (await postsOf(document)).map(({ id }) => id)
  release()
  await delivered(stranger, document.id)
  expect(both).toContain(await postOf(stranger, document.id))
  expect(both).toHaveLength(2)
  // It was looked at once more, and there was nothing to remove.
  await expect.poll(() => isTidied(deliveryId)).toBe(true)
  expect(await postsOf(document)).toHaveLength(2)
})

/** The stranger sends what the owner has delivered, while what the owner's delivery has left is being removed. */
async function sendAmidRemoval(document: FaultDocument): Promise<void> {
  // A check removes things of its own.
  const checks = `SELECT FROM graphile_worker.jobs WHERE task_identifier = 'check_site'`
  await expect.poll(async () => (await stage.pool.query(checks)).rowCount).toBe(0)
  const { held, release } = holdRemovals(owner)
  const deliveryId = await tidyDelivered(document)
  await expect.poll(held).toBe(1)
  await send(stranger, document.body)
  await expect.poll(() => reasonOf(stranger, document.id)).toMatch(/marker_taken|delivered/)
  release()
  await expect.poll(() => isTidied(deliveryId)).toBe(true)
  await delivered(stranger, document.id)
}

test('what is being removed for one is not taken by the other meanwhile', async () => {
  const document = stage.documents.make(siteId, { picture: true })
  await send(owner, document.body)
  await delivered(owner, document.id)
  const { rows } = await stage.pool.query<{ delivery_id: string; media_id: number }>(
    `SELECT m.delivery_id, m.media_id FROM delivery_media m JOIN delivery d ON d.id = m.delivery_id
     WHERE d.document_id = $1`,
    [document.id],
  )
  const first = Number(rows[0]?.media_id)
  // As if that had been left by an upload without an answer, and another one were the post's.
  await stage.pool.query('UPDATE delivery_media SET media_id = $2 WHERE delivery_id = $1', [
    rows[0]?.delivery_id,
    first + 100_000,
  ])
  await sendAmidRemoval(document)
  const shown = await rest<RestItem>('editor', 'GET', `/wp/v2/posts/${await postOf(stranger, document.id)}`)
  const [, picture] = /wp-image-(\d+)/.exec((shown.content as { rendered: string }).rendered) ?? []
  expect(Number(picture)).toBeGreaterThan(first)
  expect(await rest<RestItem>('editor', 'GET', `/wp/v2/media/${picture}`)).toMatchObject({
    id: Number(picture),
  })
})

test('a file that another has taken is not removed', async () => {
  const document = stage.documents.make(siteId, { picture: true })
  await send(owner, document.body)
  await delivered(owner, document.id)
  await send(stranger, document.body)
  await delivered(stranger, document.id)
  const taken = `UPDATE delivery_media m SET media_id = m.media_id + $2 FROM delivery d
    WHERE d.id = m.delivery_id AND d.document_id = $1 AND d.post_id = $3 RETURNING media_id`
  const before = await stage.pool.query<{ media_id: number }>(taken, [
    document.id,
    0,
    await postOf(owner, document.id),
  ])
  const theirs = Number(before.rows[0]?.media_id)
  await stage.pool.query(taken, [document.id, 100_000, await postOf(owner, document.id)])
  await stage.pool.query(
    `UPDATE delivery_media m SET media_id = $2 FROM delivery d
     WHERE d.id = m.delivery_id AND d.document_id = $1 AND d.post_id = $3`,
    [document.id, theirs, await postOf(stranger, document.id)],
  )
  const deliveryId = await tidyDelivered(document)
  await expect.poll(() => isTidied(deliveryId)).toBe(true)
  expect(await rest<RestItem>('editor', 'GET', `/wp/v2/media/${theirs}`)).toMatchObject({ id: theirs })
})

/** As after an answer that never came: what the site has made late for the delivery that is done is looked for. @returns its id */
async function tidyDelivered({ id }: { id: string }): Promise<string> {
  const { rows } = await stage.pool.query<{ id: string }>(
    `UPDATE delivery SET ambiguous_at = now() WHERE document_id = $1 AND status = 'delivered' AND post_id = $2 RETURNING id`,
    [id, await postOf(owner, id)],
  )
  const deliveryId = String(rows[0]?.id)
  await enqueue(stage.pool, orphansJob, { deliveryId })
  return deliveryId
}

async function isTidied(deliveryId: string): Promise<boolean> {
  const { rowCount } = await stage.pool.query('SELECT FROM delivery WHERE id = $1 AND ambiguous_at IS NULL', [
    deliveryId,
  ])
  return rowCount === 1
}

const postOf = async (party: Party, documentId: string) => (await rowOf(party, documentId))?.post_id
const reasonOf = async (party: Party, documentId: string) => (await rowOf(party, documentId))?.says

const rowOf = async ({ lane }: Party, documentId: string) => {
  const { rows } = await stage.pool.query<{ post_id: number | null; says: string }>(
    `SELECT d.post_id, coalesce(d.error ->> 'code', d.status) AS says FROM delivery d JOIN site s ON s.id = d.site_id AND s.account_id = d.account_id
     WHERE d.document_id = $1 AND starts_with(s.rest_root, $2)`,
    [documentId, lane.proxy.url],
  )
  return rows[0]
}

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
