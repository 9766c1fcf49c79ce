import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { forgetReplaced } from '../../src/delivery/maintenance/retention.ts'
import type { Lane } from '../faults/stage/lane.ts'
import { type DeliveryData, settled } from '../support/galley.ts'
import { resetAfter, resetBefore } from '../support/proxy/index.ts'
import { completed } from '../support/webhooks.ts'
import { type RestItem, rest, wordpress } from '../support/wordpress/index.ts'
import { laneWith } from './plugin-lane.ts'
import { contentOf, edit, read } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'
import { asAdministrator } from './with-plugin.ts'

// What a choice about an edited post replaced on a real WordPress, and that it is put back.

let stage: DeliveryStage
let lane: Lane

beforeAll(async () => {
  stage = await startStage()
  lane = await stage.lane()
})

afterEach(() => lane.proxy.clear())

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

/** Asks for it, and waits until the delivery rests. */
async function endedAfter(id: string, action: string, body: object = {}): Promise<Undoable> {
  expect(await ask(id, action, body)).toMatchObject({ status: 202 })
  await expect
    .poll(async () => (await readDelivery(id)).status, { timeout: 150_000 })
    .toMatch(/^(delivered|held|kept|failed)$/)
  return readDelivery(id)
}

/** A draft whose text and title somebody has edited, and whose newer version, to be published, is held. */
async function heldPost(edited: object = { title: 'As an editor wrote it' }) {
  const { siteId, proxy } = lane
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
  const ended = (action: string, body: object = {}) => endedAfter(id, action, body)
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

describe('what is no text of a post', () => {
  const FIELDS = ['author', 'coauthors', 'format', 'meta', 'password', 'slug', 'status'] as const

  /** A post whose newer version, held for an edit, sets everything that a choice writes besides the text. */
  async function heldFields(edited: object = {}) {
    const lane = await laneWith(stage, 'seo,coauthors', {
      seo_description: true,
      author: wordpress().users.author.login,
    })
    await stage.pool.query(`UPDATE site SET seo_field = '_yoast_wpseo_metadesc' WHERE id = $1`, [lane.siteId])
    const [other] = await rest<RestItem[]>(
      'administrator',
      'GET',
      `/wp/v2/users?search=${wordpress().users.editor.login}`,
    )
    const title = `Tides ${stage.documents.word} ${randomUUID()}`
    const documentId = randomUUID()
    const deliver = async (text: string, delivery: object) => {
      const blocks = [{ type: 'paragraph', content: [{ type: 'text', text }] }]
      const { data } = completed({ title, blocks, description: `About: ${text}` })
      await stage.galley.call('POST', '/v1/deliveries', {
        ...{ id: documentId, data, delivery, site_ids: [lane.siteId] },
      })
      return settled(stage.galley, documentId)
    }
    const { id, post } = await deliver('The tide comes twice a day.', { post_status: 'draft' })
    const path = `/wp/v2/posts/${post?.id}?context=edit`
    const change = (fields: object) => asAdministrator<RestItem>(lane.url, 'POST', path, fields)
    const all = await asAdministrator<RestItem[]>(lane.url, 'GET', '/wp/v2/coauthors')
    await change({
      content: '<p>As an editor wrote it.</p>',
      author: other?.id,
      coauthors: [all.at(-1)?.id],
      format: 'aside',
      meta: { _yoast_wpseo_metadesc: 'As an editor describes it.' },
      ...edited,
    })
    // As where an attempt failed after its fill: only then does Galley set byline and address.
    await stage.pool.query('UPDATE delivery SET delivered_event_id = NULL WHERE id = $1', [id])
    const stands = async () => {
      const standing = await asAdministrator<RestItem>(lane.url, 'GET', path)
      return Object.fromEntries(FIELDS.map((name) => [name, standing[name]]))
    }
    const stood = await stands()
    const metadata = { format: 'quote', password: 'ours', slug: `high-water-${documentId}` }
    expect(await deliver('The tide comes and goes.', { post_status: 'publish', metadata })).toMatchObject({
      status: 'held',
    })
    expect(await endedAfter(id, 'retry', { overwrite: true })).toMatchObject({ status: 'delivered' })
    const taken = await stands()
    const undone = () => endedAfter(id, 'undo')
    return { change, stands, stood, taken, undone }
  }

  test('is put back as it stood: author, byline, format, search description, no password, address', async () => {
    const { stands, stood, taken, undone } = await heldFields()
    for (const name of FIELDS) expect({ [name]: taken[name] }).not.toEqual({ [name]: stood[name] })
    expect(await undone()).toMatchObject({ status: 'kept', warnings: [] })
    expect(await stands()).toEqual(stood)
  })

  test('but for a password, which a warning names', async () => {
    const { stands, stood, undone } = await heldFields({ password: 'theirs' })
    expect(await undone()).toMatchObject({
      status: 'kept',
      warnings: [{ code: 'undo_incomplete', message: expect.stringContaining(': password.') }],
    })
    expect(await stands()).toEqual({ ...stood, password: 'ours' })
  })

  test('and stays where somebody saved the post after the choice, which a warning names', async () => {
    const { change, stands, stood, taken, undone } = await heldFields()
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    await change({ author: 1 })
    expect(await undone()).toMatchObject({
      status: 'kept',
      warnings: [
        {
          code: 'undo_incomplete',
          message: expect.stringContaining(': address, author, byline, search description.'),
        },
      ],
    })
    const { slug, coauthors, meta } = taken
    expect(await stands()).toEqual({ ...stood, author: 1, slug, coauthors, meta })
  })
})
