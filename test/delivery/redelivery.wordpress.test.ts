import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { purge } from '../../src/delivery/maintenance/retention.ts'
import type { FaultDocument } from '../faults/stage/documents.ts'
import type { Lane } from '../faults/stage/lane.ts'
import { settled } from '../support/galley.ts'
import { type RestItem, removeTerm, rest } from '../support/wordpress/index.ts'
import { contentOf, edit, read, withMore } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

let stage: DeliveryStage
let lane: Lane
let overwriting: Lane

const withoutSlug = (document: FaultDocument): FaultDocument => {
  const { meta: _, ...content } = (document.body.data as { content: Record<string, unknown> }).content
  return withMore(document, { content })
}

beforeAll(async () => {
  stage = await startStage({}, { picture: false })
  lane = await stage.lane()
  overwriting = await stage.lane('editor', { on_changed_post: 'overwrite' })
})

afterAll(() => stage.close())

describe('a document that comes again with other content', () => {
  test('leaves a post that its editor published published, at its address', async () => {
    const { siteId } = lane
    const first = stage.documents.make(siteId)
    const { post } = await stage.deliver(first)
    await edit(post?.id, { status: 'publish', slug: `${stage.documents.word}-better` })
    await stage.deliver(stage.documents.make(siteId, { version: 'second', of: first }))
    expect(await read(post?.id)).toMatchObject({ status: 'publish', slug: `${stage.documents.word}-better` })
    expect(await contentOf(post?.id)).toContain('The second version')
  })

  test('has an address of its title where it was a draft in the trash', async () => {
    const { siteId } = lane
    const first = withoutSlug(stage.documents.make(siteId))
    const { post } = await stage.deliver(first)
    await rest('administrator', 'DELETE', `/wp/v2/posts/${post?.id}`)
    await edit(post?.id, { status: 'draft' })
    const second = stage.documents.make(siteId, { version: 'second', of: first, post_status: 'publish' })
    const again = await stage.deliver(withoutSlug(second))
    expect(again).toMatchObject({ status: 'delivered', warnings: [] })
    expect((await read(post?.id)).slug).toContain(stage.documents.word)
  })

  test('is held where a person has changed the post, and shows both sides', async () => {
    const { siteId } = lane
    const first = stage.documents.make(siteId)
    const { post } = await stage.deliver(first)
    await edit(post?.id, { excerpt: 'In my own words.' })
    const again = await stage.deliver(stage.documents.make(siteId, { version: 'second', of: first }))
    expect(again).toMatchObject({ status: 'held', error: { code: 'post_changed', step: 'fill' } })
    expect(again.error?.message).toMatch(/“[^<>”]+” on .+ deliver(ed|y) \(excerpt\)/)
    expect(again.error).toMatchObject({
      details: {
        changes: [
          {
            field: 'excerpt',
            galley: expect.stringContaining('in its first version'),
            site: 'In my own words.',
          },
        ],
      },
    })
    expect(await contentOf(post?.id)).toContain('The first version')
  })

  test('is held where a person has changed only its categories', async () => {
    const { siteId } = lane
    const first = stage.documents.make(siteId)
    const { post } = await stage.deliver(first)
    const name = `${stage.documents.word} ${randomUUID()}`
    const { id } = await rest<RestItem>('administrator', 'POST', '/wp/v2/categories', { name })
    onTestFinished(() => removeTerm('categories', id))
    await edit(post?.id, { categories: [id] })
    const again = await stage.deliver(stage.documents.make(siteId, { version: 'second', of: first }))
    expect(again).toMatchObject({ status: 'held', error: { code: 'post_changed' } })
    expect(again.error?.message).toContain('after it was delivered (categories)')
    expect(again.error).toMatchObject({ details: { changes: [{ galley: '1', site: String(id) }] } })
    expect(await contentOf(post?.id)).toContain('The first version')
  })

  test('is held where the post is gone, which may mean that it is of another type now', async () => {
    const { siteId } = lane
    const first = stage.documents.make(siteId)
    const { post } = await stage.deliver(first)
    await rest('administrator', 'DELETE', `/wp/v2/posts/${post?.id}?force=true`)
    const again = await stage.deliver(stage.documents.make(siteId, { version: 'second', of: first }))
    expect(again).toMatchObject({ status: 'held', error: { code: 'post_deleted' } })
    expect(again.error?.message).toContain('was deleted, or turned into one of another type')
  })

  test('is written over the change when a retry says so, and the status stays', async () => {
    const { siteId } = lane
    const first = stage.documents.make(siteId)
    const { post } = await stage.deliver(first)
    await edit(post?.id, { content: 'Mine.', status: 'publish' })
    const held = await stage.deliver(stage.documents.make(siteId, { version: 'second', of: first }))
    expect(held.status).toBe('held')
    await stage.galley.call('POST', `/v1/deliveries/${held.id}/retry`, { overwrite: true })
    expect(await settled(stage.galley, first.id)).toMatchObject({ status: 'delivered' })
    expect(await contentOf(post?.id)).toContain('The second version')
    expect((await read(post?.id)).status).toBe('publish')
  })

  test('sets the status alone when a retry says so, shows both texts until then, and is held the next time', async () => {
    const { siteId } = lane
    const first = stage.documents.make(siteId)
    const { post, id } = await stage.deliver(first)
    await edit(post?.id, { content: 'Mine.' })
    const requested = { version: 'second', of: first, post_status: 'publish' } as const
    expect(await stage.deliver(stage.documents.make(siteId, requested))).toMatchObject({ status: 'held' })
    const { body } = await stage.galley.call<{ data: { galley: object; site: object } }>(
      'GET',
      `/v1/deliveries/${id}/edits`,
    )
    expect(body.data).toMatchObject({
      galley: { content: expect.stringContaining('The first version') },
      site: { content: 'Mine.', status: 'draft' },
    })
    await stage.galley.call('POST', `/v1/deliveries/${id}/retry`, { status_only: true })
    expect(await settled(stage.galley, first.id)).toMatchObject({
      status: 'delivered',
      warnings: [{ code: 'change_kept', message: expect.stringContaining('as was asked') }],
    })
    expect(await contentOf(post?.id)).toBe('Mine.')
    expect((await read(post?.id)).status).toBe('publish')
    expect(await stage.deliver(stage.documents.make(siteId, { version: 'third', of: first }))).toMatchObject({
      status: 'held',
      error: { code: 'post_changed' },
    })
  })

  test('sets the status alone where the site says so, time and again', async () => {
    const { siteId } = await stage.lane('editor', { on_changed_post: 'status_only' })
    const first = stage.documents.make(siteId)
    const { post } = await stage.deliver(first)
    await edit(post?.id, { content: 'Mine.' })
    for (const version of ['second', 'third']) {
      const requested = { version, of: first, post_status: 'publish' } as const
      const again = await stage.deliver(stage.documents.make(siteId, requested))
      expect(again).toMatchObject({ status: 'delivered', warnings: [{ code: 'change_kept' }] })
    }
    expect(await contentOf(post?.id)).toBe('Mine.')
    expect((await read(post?.id)).status).toBe('publish')
  })

  test('leaves another post alone that has its number now, also where the site says overwrite', async () => {
    const { siteId, proxy } = overwriting
    const first = stage.documents.make(siteId)
    const { post } = await stage.deliver(first)
    const another = { title: `${stage.documents.word} other`, slug: randomUUID(), content: 'Of another day.' }
    const before = await edit(post?.id, another)
    const from = proxy.requests.length
    const requested = { version: 'second', of: first, post_status: 'publish' } as const
    const held = await stage.deliver(stage.documents.make(siteId, requested))
    expect(held).toMatchObject({ status: 'held', error: { code: 'post_replaced', step: 'reserve' } })
    expect(await read(post?.id)).toEqual(before)
    expect(proxy.requests.slice(from).filter(({ method }) => method !== 'GET')).toEqual([])
    await stage.galley.call('POST', `/v1/deliveries/${held.id}/retry`, { overwrite: true })
    expect(await settled(stage.galley, first.id)).toMatchObject({ status: 'delivered' })
    expect(await contentOf(post?.id)).toContain('The second version')
  })

  test('overwrites a post that a person has written anew, title and text, but for one line', async () => {
    const { siteId } = overwriting
    const first = stage.documents.make(siteId)
    const { post } = await stage.deliver(first)
    const line = /The first version[^<]*/.exec(await contentOf(post?.id))?.[0]
    expect(line).toBeDefined()
    const content = `Mine.\n\n<p>${line}</p>`
    await edit(post?.id, { title: `${stage.documents.word} mine`, slug: randomUUID(), content })
    const again = await stage.deliver(stage.documents.make(siteId, { version: 'second', of: first }))
    expect(again).toMatchObject({ status: 'delivered', warnings: [{ code: 'change_overwritten' }] })
  })
})

test('a document that comes again with the same content costs no write', async () => {
  const { siteId, proxy } = lane
  const first = stage.documents.make(siteId)
  await stage.deliver(first)
  const before = proxy.requests.length
  const same = stage.documents.make(siteId, { of: first })
  const delivery = await stage.deliver({ ...same, body: { ...same.body, extra: 'another event' } })
  expect(delivery.status).toBe('delivered')
  expect(proxy.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([])
  expect(delivery.timeline.map(({ outcome }) => outcome)).toContain('unchanged')
})

test('a newer event waits behind the one that is under way, and is what stands in the end', async () => {
  const { siteId, proxy } = lane
  const first = stage.documents.make(siteId)
  const newer = stage.documents.make(siteId, { version: 'second', of: first })
  proxy.rule(
    { method: 'POST', nth: 1 },
    {
      name: 'a newer event comes',
      async apply({ forward, reply }) {
        const answer = await forward()
        await stage.send(newer)
        reply(answer)
      },
    },
  )
  await stage.send(first)
  await expect
    .poll(
      async () =>
        (await settled(stage.galley, first.id)).timeline.filter(({ outcome }) => outcome === 'delivered')
          .length,
    )
    .toBe(2)
  const { post } = await settled(stage.galley, first.id)
  expect(await contentOf(post?.id)).toContain('The second version')
})

test('what has ended long ago loses its body and its timeline, and still keeps one post one', async () => {
  const { siteId } = lane
  const old = stage.documents.make(siteId)
  const delivery = await stage.deliver(old)
  const longAgo = ({ id }: FaultDocument) =>
    stage.pool.query(`UPDATE event SET received_at = now() - interval '91 days' WHERE document_id = $1`, [id])
  await longAgo(old)
  await stage.pool.query(`UPDATE delivery_step SET at = now() - interval '91 days' WHERE delivery_id = $1`, [
    delivery.id,
  ])
  const waiting = stage.documents.make('00000000-0000-4000-8000-000000000000')
  await stage.deliver(waiting)
  await longAgo(waiting)
  const recent = stage.documents.make(siteId)
  await stage.deliver(recent)

  const { events, steps } = await purge(stage.pool, 90)
  expect(events).toBe(1)
  expect(steps).toBe(delivery.timeline.length)
  const { rows } = await stage.pool.query('SELECT document_id FROM event WHERE body IS NULL')
  expect(rows).toEqual([{ document_id: old.id }])

  // The same webhook is still known, and the delivery still names its post.
  await expect(stage.send(old)).rejects.toThrow('answered 200')
  const retried = await stage.galley.call<{ error: { code: string } }>(
    'POST',
    `/v1/deliveries/${delivery.id}/retry`,
  )
  expect(retried).toMatchObject({ status: 409, body: { error: { code: 'DOCUMENT_THINNED' } } })
  const { body } = await stage.galley.call<{ data: { post: { id: number } } }>(
    'GET',
    `/v1/deliveries/${delivery.id}`,
  )
  expect(body.data.post.id).toBe(delivery.post?.id)
})
