import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetReplaced } from '../../src/delivery/maintenance/retention.ts'
import { type DeliveryData, settled } from '../support/galley.ts'
import { resetAfter, resetBefore } from '../support/proxy/index.ts'
import { completed } from '../support/webhooks.ts'
import { rest } from '../support/wordpress/index.ts'
import { contentOf, edit, read } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

// What a choice about an edited post replaced on a real WordPress, and that it is put back.

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage()
})

afterAll(() => stage.close())

type Undoable = DeliveryData & { undo_until: string | null }

const ask = (id: string, action: string, body: object = {}) =>
  stage.galley.call<{ data: Undoable; error: { code: string } }>(
    'POST',
    `/v1/deliveries/${id}/${action}`,
    body,
  )

const readDelivery = async (id: string) =>
  (await stage.galley.call<{ data: Undoable }>('GET', `/v1/deliveries/${id}`)).body.data

/** A draft whose text and title somebody has edited, and whose newer version, to be published, is held. */
async function heldPost(edited: object = { title: 'As an editor wrote it' }) {
  const { siteId, proxy } = await stage.lane()
  const documentId = randomUUID()
  const deliver = async (text: string, post_status = 'publish') => {
    const blocks = [
      { type: 'paragraph', content: [{ type: 'text', text }] },
      { type: 'paragraph', content: [{ type: 'text', text: 'Boats wait.' }] },
    ]
    const { data } = completed({ title: `Tides ${stage.documents.word}`, blocks })
    await stage.galley.call('POST', '/v1/deliveries', {
      ...{ id: documentId, data, delivery: { post_status }, site_ids: [siteId] },
    })
    return settled(stage.galley, documentId)
  }
  const { id, post } = await deliver('The tide comes twice a day.', 'draft')
  await edit(post?.id, {
    content: (await contentOf(post?.id)).replace('Boats', 'Sailors'),
    ...edited,
  })
  const before = await read(post?.id)
  expect(await deliver('The tide comes and goes.')).toMatchObject({ status: 'held' })
  const ended = async (action: string, body: object = {}) => {
    expect(await ask(id, action, body)).toMatchObject({ status: 202 })
    await expect
      .poll(async () => (await readDelivery(id)).status, { timeout: 150_000 })
      .toMatch(/^(delivered|held|kept|failed)$/)
    return readDelivery(id)
  }
  const stands = async () => {
    const { title, content, status } = await read(post?.id)
    return { title, content, status }
  }
  const stood = { title: before.title, content: before.content, status: before.status }
  return { id, postId: post?.id, proxy, deliver, ended, stands, stood }
}

const takeMerge = async (id: string) => {
  const { body } = await stage.galley.call<{ data: { merge: { compared: string } } }>(
    'GET',
    `/v1/deliveries/${id}/edits`,
  )
  return { merge: { compared: body.data.merge.compared, choices: [] } }
}

test.each([
  ['ours', async () => ({ overwrite: true })],
  ['the merge', takeMerge],
])('who took %s has the edited post back, and a newer version waits again', async (_, chosen) => {
  const post = await heldPost()
  const delivered = await post.ended('retry', await chosen(post.id))
  expect(delivered).toMatchObject({ status: 'delivered', undo_until: expect.any(String) })
  expect(await post.stands()).not.toEqual(post.stood)

  const kept = await post.ended('undo')
  expect(kept).toMatchObject({ status: 'kept', error: null, warnings: [], undo_until: null })
  expect(kept.timeline.map(({ step, outcome }) => `${step} ${outcome}`).slice(-4)).toEqual([
    'plan undoing',
    'undo intended',
    'undo done',
    'undo kept',
  ])
  expect(await post.stands()).toEqual(post.stood)
  const { body } = await stage.galley.call<{ data: object[] }>('GET', `/v1/audit?subject_id=${post.id}`)
  expect(body.data).toContainEqual(expect.objectContaining({ action: 'delivery.undo' }))

  expect(await post.deliver('The tide is out.')).toMatchObject({
    status: 'held',
    error: { code: 'post_changed', message: expect.stringContaining('Somebody edited') },
  })
  expect(await post.stands()).toEqual(post.stood)
})

test.each([
  ['before WordPress hears of the request', resetBefore],
  ['after WordPress carried it out', resetAfter],
])('an answer that is lost %s loses nothing, of the choice and of its undoing', async (_, fault) => {
  const post = await heldPost()
  post.proxy.rule({ method: 'POST', path: /\/posts\/\d+$/, nth: 1 }, fault)
  expect(await post.ended('retry', { overwrite: true })).toMatchObject({ status: 'delivered' })
  post.proxy.clear()
  post.proxy.rule({ method: 'POST', path: /\/posts\/\d+$/, nth: 1 }, fault)
  expect(await post.ended('undo')).toMatchObject({ status: 'kept', warnings: [] })
  expect(await post.stands()).toEqual(post.stood)
})

test('nothing is put back over what somebody wrote after the choice, and a warning says who it was', async () => {
  const post = await heldPost()
  await post.ended('retry', { overwrite: true })
  await edit(post.postId, { content: '<p>Newer than the choice.</p>' })
  const { name } = await rest<{ name: string }>('administrator', 'GET', '/wp/v2/users/me')
  expect(await post.ended('undo')).toMatchObject({
    status: 'delivered',
    warnings: [
      {
        code: 'undo_refused',
        message: expect.stringContaining(`${name} edited “Tides`),
      },
    ],
  })
  expect(await contentOf(post.postId)).toContain('Newer than the choice.')
})

test('nothing is put back into the trash', async () => {
  const post = await heldPost()
  await post.ended('retry', { overwrite: true })
  await rest('administrator', 'DELETE', `/wp/v2/posts/${post.postId}`)
  expect(await post.ended('undo')).toMatchObject({
    status: 'delivered',
    warnings: [{ code: 'undo_refused', message: expect.stringContaining('is in the trash') }],
  })
})

test('a newer version, or a day, ends it', async () => {
  const post = await heldPost()
  await post.ended('retry', { overwrite: true })
  expect(await post.deliver('The tide is out.')).toMatchObject({ status: 'delivered', undo_until: null })
  expect(await ask(post.id, 'undo')).toMatchObject({
    status: 409,
    body: { error: { code: 'NOTHING_TO_UNDO' } },
  })

  const other = await heldPost()
  await other.ended('retry', { overwrite: true })
  await stage.pool.query(`UPDATE delivery SET undo_until = now() - interval '1 second' WHERE id = $1`, [
    other.id,
  ])
  expect(await ask(other.id, 'undo')).toMatchObject({ status: 409 })
  await forgetReplaced(stage.pool)
  const { rows } = await stage.pool.query('SELECT replaced, undo_until FROM delivery WHERE id = $1', [
    other.id,
  ])
  expect(rows).toEqual([{ replaced: null, undo_until: null }])
})

test('a choice that replaced nothing cannot be undone', async () => {
  const post = await heldPost()
  expect(await post.ended('retry', { status_only: true })).toMatchObject({
    status: 'delivered',
    undo_until: null,
  })
  expect(await ask(post.id, 'undo')).toMatchObject({ status: 409 })
})
