import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settled } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { contentOf, edit } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

// A post that somebody has edited, a newer version of its document, and the merge of both on a real WordPress.

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage()
})

afterAll(() => stage.close())

interface Edits {
  galley: { content: string }
  site: { content: string }
  next: { content: string }
  merge: { compared: string; content: { kind: string }[] }
}

const first = ['The tide comes twice a day.', 'The moon pulls at the water.', 'Boats wait.']

/** A delivery of `first`, whose first paragraph somebody has edited. */
async function editedPost() {
  const siteId = await stage.site()
  const id = randomUUID()
  const deliver = async (...texts: string[]) => {
    const blocks = texts.map((text) => ({ type: 'paragraph', content: [{ type: 'text', text }] }))
    const { data } = completed({ title: `Tides ${stage.documents.word}`, blocks })
    const { status } = await stage.galley.call('POST', '/v1/deliveries', {
      id,
      data,
      delivery: { post_status: 'draft' },
      site_ids: [siteId],
    })
    expect(status).toBe(202)
    return settled(stage.galley, id)
  }
  const { id: deliveryId, post } = await deliver(...first)
  const editText = async (from: string, to: string) =>
    edit(post?.id, { content: (await contentOf(post?.id)).replace(from, to) })
  await editText('twice a day', 'two times each day')
  const compare = async () =>
    (await stage.galley.call<{ data: Edits }>('GET', `/v1/deliveries/${deliveryId}/edits`)).body.data
  const merge = async (compared: string, ...choices: string[]) => {
    await stage.galley.call('POST', `/v1/deliveries/${deliveryId}/retry`, { merge: { compared, choices } })
    return settled(stage.galley, id)
  }
  const text = async () =>
    [...(await contentOf(post?.id)).matchAll(/<p[^>]*>([^<]+)</g)].map(([, words]) => words)
  return { deliver, editText, compare, merge, text }
}

test('is written as it was compared, and goes on with later versions until they conflict', async () => {
  const post = await editedPost()
  const held = await post.deliver(first[0] as string, first[1] as string, 'Boats sail.')
  expect(held).toMatchObject({ status: 'held', error: { code: 'post_changed' } })
  const { galley, site, next, merge } = await post.compare()
  expect(galley.content).toContain('twice a day')
  expect(site.content).toContain('two times each day')
  expect(next.content).toContain('Boats sail.')
  expect(merge.content.map(({ kind }) => kind)).toEqual(['site', 'both', 'next'])

  const merged = await post.merge(merge.compared)
  expect(merged).toMatchObject({ status: 'delivered', warnings: [{ code: 'change_merged' }] })
  expect(await post.text()).toEqual(['The tide comes two times each day.', first[1], 'Boats sail.'])

  const later = await post.deliver(first[0] as string, 'The moon pulls.', 'Boats sail.')
  expect(later).toMatchObject({ status: 'delivered', warnings: [{ code: 'change_merged' }] })
  expect(await post.text()).toEqual(['The tide comes two times each day.', 'The moon pulls.', 'Boats sail.'])

  const conflicting = await post.deliver('The tide comes and goes.', 'The moon pulls.', 'Boats sail.')
  expect(conflicting).toMatchObject({ status: 'held', error: { code: 'post_changed' } })
  expect((await post.compare()).merge.content.map(({ kind }) => kind)).toEqual(['conflict', 'both'])
})

test('is not written where the post was edited after the comparison', async () => {
  const post = await editedPost()
  await post.deliver(first[0] as string, first[1] as string, 'Boats sail.')
  const { merge } = await post.compare()
  await post.editText('The moon', 'Our moon')
  const held = await post.merge(merge.compared)
  expect(held).toMatchObject({
    status: 'held',
    error: { code: 'post_changed', message: expect.stringContaining('after you compared') },
  })
  expect(await post.text()).toEqual([
    'The tide comes two times each day.',
    'Our moon pulls at the water.',
    'Boats wait.',
  ])
  expect(await post.merge((await post.compare()).merge.compared)).toMatchObject({ status: 'delivered' })
  expect(await post.text()).toEqual([
    'The tide comes two times each day.',
    'Our moon pulls at the water.',
    'Boats sail.',
  ])
})

test('has of each conflict the side that was chosen, and is not written without a choice', async () => {
  const post = await editedPost()
  await post.deliver('The tide comes and goes.', first[1] as string, 'Boats sail.')
  const { merge } = await post.compare()
  expect(merge.content.map(({ kind }) => kind)).toEqual(['conflict', 'both', 'next'])
  expect(await post.merge(merge.compared)).toMatchObject({ status: 'held', error: { code: 'post_changed' } })
  expect(await post.merge(merge.compared, 'next')).toMatchObject({ status: 'delivered' })
  expect(await post.text()).toEqual(['The tide comes and goes.', first[1], 'Boats sail.'])
})

test('can be turned down: the delivery ends as kept, and a retry compares again', async () => {
  const post = await editedPost()
  const { id } = await post.deliver(first[0] as string, first[1] as string, 'Boats sail.')
  const { status, body: said } = await stage.galley.call('POST', `/v1/deliveries/${id}/cancel`)
  expect({ status, said }).toMatchObject({ status: 200 })
  const read = async () =>
    (await stage.galley.call<{ data: { status: string; timeline: object[] } }>('GET', `/v1/deliveries/${id}`))
      .body.data
  const kept = await read()
  expect(kept).toMatchObject({ status: 'kept', error: null })
  expect(kept.timeline.at(-1)).toMatchObject({ step: 'plan', outcome: 'kept' })
  expect(await post.text()).toContain('The tide comes two times each day.')
  const { body } = await stage.galley.call<{ data: object[] }>('GET', '/v1/deliveries?status=kept')
  expect(body.data).toMatchObject([{ id }])
  await stage.galley.call('POST', `/v1/deliveries/${id}/retry`)
  await expect.poll(async () => (await read()).status).toBe('held')
})
