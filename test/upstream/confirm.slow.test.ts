import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { MANY_ROWS } from '../../src/database/statement.ts'
import { resumeSource } from '../../src/delivery/ledger/resume.ts'
import { type DeliveryData, settled } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { answers, completedAs, startUpstream, type UpstreamServer } from './server.ts'
import { setUpUpstream, siteId, stage, upstream } from './stage.ts'

const KEY = 'key-of-the-upstream'

setUpUpstream()

interface Source {
  id: string
  send(body: object): Promise<void>
  view(): Promise<{ upstream_trouble: { code: string } | null }>
  patch(body: object): Promise<void>
}

async function source(more: object = { confirm: true }): Promise<Source> {
  const { call } = stage.galley
  const asked = { upstream_base_url: upstream.url, upstream_api_key: KEY, ...more }
  const made = await call<{ id: string; data: { url: string } }>('POST', '/v1/sources', {
    name: 'Maker',
    ...asked,
  })
  const { id, data } = made.body
  return {
    id,
    async send(body) {
      expect(await call('POST', new URL(data.url).pathname, body)).toMatchObject({ status: 202 })
    },
    async view() {
      return (await call<{ data: { upstream_trouble: { code: string } | null } }>('GET', `/v1/sources/${id}`))
        .body.data
    },
    async patch(body) {
      expect(await call('PATCH', `/v1/sources/${id}`, body)).toMatchObject({ status: 200 })
    },
  }
}

const find = async (documentId: string): Promise<DeliveryData> => {
  const { call } = stage.galley
  const list = await call<{ data: { id: string }[] }>('GET', `/v1/deliveries?document_id=${documentId}`)
  return (await call<{ data: DeliveryData }>('GET', `/v1/deliveries/${list.body.data[0]?.id}`)).body.data
}
const retry = async ({ id }: { id: string }) =>
  expect(await stage.galley.call('POST', `/v1/deliveries/${id}/retry`)).toMatchObject({ status: 202 })
const deliveredBody = async (documentId: string): Promise<string> => {
  const { rows } = await stage.pool.query(
    `SELECT coalesce(e.confirmed_body, e.body) AS body FROM delivery d JOIN event e ON e.id = d.delivered_event_id
     WHERE d.document_id = $1`,
    [documentId],
  )
  return String(rows[0]?.body)
}
const data = (title: string) => completed({ title }).data

describe('a source whose documents are confirmed', () => {
  it('has what the upstream answers delivered, whatever the webhook says, and asks once', async () => {
    const { send } = await source()
    const document = completed({ siteId, title: 'As forged', tags: ['asked for'] })
    upstream.about.set(document.id, completedAs(document.id, data('As it was made')))
    await send(document)
    const delivery = await settled(stage.galley, document.id)
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 0, error: null })
    expect(delivery.timeline).toContainEqual(
      expect.objectContaining({ step: 'confirm', outcome: 'confirmed' }),
    )
    const body = await deliveredBody(document.id)
    expect(body).toContain('As it was made')
    expect(body).not.toContain('As forged')
    expect(JSON.parse(body).delivery).toEqual(document.delivery)
    expect(upstream.asked).toEqual([{ id: document.id, key: `Bearer ${KEY}`, method: 'GET' }])

    await retry(delivery)
    expect(await settled(stage.galley, document.id)).toMatchObject({ status: 'delivered' })
    expect(upstream.asked).toHaveLength(1)
  })

  it('asks anew for a newer version, which is the same post', async () => {
    const { send } = await source()
    const first = completed({ siteId, title: 'First' })
    upstream.about.set(first.id, completedAs(first.id, data('First, confirmed')))
    await send(first)
    const { post } = await settled(stage.galley, first.id)
    upstream.about.set(first.id, completedAs(first.id, data('Second, confirmed')))
    await send({ ...first, data: data('Second') })
    await expect.poll(() => deliveredBody(first.id)).toContain('Second, confirmed')
    const second = await settled(stage.galley, first.id)
    expect(second).toMatchObject({ status: 'delivered', post: { id: post?.id } })
    expect(upstream.asked).toHaveLength(2)
  })

  it.each([
    ['an unknown document', 'upstream_document_unknown', answers({ success: false }, 404)],
    ['another document', 'upstream_answer_unusable', completedAs(randomUUID(), data('Another'))],
    ['no JSON', 'upstream_answer_unusable', answers('<html>')],
    ['JSON of another shape', 'upstream_answer_unusable', answers([1, 2])],
    ['a document without text', 'upstream_answer_unusable', 'empty'],
    [
      'JSON that is too deep',
      'upstream_answer_unusable',
      answers(`${'['.repeat(5_000)}${']'.repeat(5_000)}`),
    ],
    ['a failed document', 'upstream_document_failed', 'failed'],
    ['more than may be', 'upstream_answer_too_big', answers(`"${'x'.repeat(11 * 1024 * 1024)}"`)],
    ['a status that says nothing', 'upstream_answer_unusable', answers({ success: false }, 418)],
  ])('publishes nothing over %s: %s', async (_, code, answer) => {
    const { send, view } = await source()
    const document = completed({ siteId, title: 'Forged' })
    const { id } = document
    const failed = { success: true, id, status: 'failed', error: { code: 'CONTENT_MODERATION' } }
    const about = { empty: completedAs(id, {}), failed: answers(failed) }
    upstream.all = typeof answer === 'string' ? about[answer as keyof typeof about] : answer
    await send(document)
    const held = await settled(stage.galley, id)
    expect(held).toMatchObject({ status: 'held', post: null, error: { code, step: 'confirm' } })
    expect(held.error?.message).toContain('Nothing was published')
    expect((await view()).upstream_trouble).toBeNull()

    upstream.all = completedAs(id, data('There after all'))
    await retry(held)
    expect(await settled(stage.galley, id)).toMatchObject({ status: 'delivered' })
  })

  it('waits for a document that is not completed', async () => {
    const { send } = await source()
    const document = completed({ siteId })
    const { id } = document
    upstream.all = answers({ success: true, id, status: 'images' })
    await send(document)
    await expect.poll(async () => (await find(id)).error).toMatchObject({ code: 'upstream_not_completed' })
    expect(await find(id)).toMatchObject({ status: expect.stringMatching(/queued|delivering/), post: null })
    upstream.all = completedAs(id, data('Done'))
    expect(await settled(stage.galley, id)).toMatchObject({ status: 'delivered' })
  })

  it('takes the word of an upstream that says where the document goes', async () => {
    const { send } = await source()
    const document = completed({ siteId, post_status: 'publish' })
    const delivery = { id: siteId.toUpperCase(), post_status: 'pending', metadata: { tags: ['theirs'] } }
    upstream.all = completedAs(document.id, data('Theirs'), { delivery })
    await send(document)
    expect(await settled(stage.galley, document.id)).toMatchObject({ post: { status: 'pending' } })
    expect(JSON.parse(await deliveredBody(document.id)).delivery).toEqual(delivery)
    const other = completed({ siteId })
    upstream.all = completedAs(other.id, data('Elsewhere'), { delivery: { ...delivery, id: randomUUID() } })
    await send(other)
    expect(await settled(stage.galley, other.id)).toMatchObject({
      status: 'held',
      error: { code: 'upstream_answer_unusable', message: expect.stringContaining('another site') },
    })
  })

  it('refuses to follow a redirect with its key', async () => {
    const thief = await startUpstream()
    const { send } = await source()
    const document = completed({ siteId })
    upstream.all = answers('', 302, { location: `${thief.url}/document/status/${document.id}` })
    await send(document)
    expect(await settled(stage.galley, document.id)).toMatchObject({
      status: 'held',
      error: { code: 'upstream_refused' },
    })
    expect(thief.asked).toEqual([])
    await thief.close()
  })

  it.each([401, 403])(
    'holds what waits for an upstream that answers %i, and does not ask it for each',
    async (status) => {
      const { send, view, patch } = await source()
      upstream.all = answers({ success: false }, status)
      const documents = Array.from({ length: 5 }, () => completed({ siteId }))
      await send(documents[0] as object)
      const held = await settled(stage.galley, (documents[0] as { id: string }).id)
      expect(held).toMatchObject({ status: 'held', post: null, error: { code: 'upstream_refused' } })
      expect(held.error?.message).toMatch(new RegExp(`${status}.*the API key .* of the source`))
      for (const document of documents.slice(1)) await send(document)
      for (const document of documents.slice(1))
        expect(await settled(stage.galley, document.id)).toMatchObject({
          error: { code: 'upstream_refused' },
        })
      expect(upstream.asked).toHaveLength(1)
      expect((await view()).upstream_trouble).toMatchObject({ code: 'upstream_refused' })

      // With a key that is accepted, what was held for the old one goes on by itself.
      upstream.all = undefined
      for (const { id } of documents) upstream.about.set(id, completedAs(id, data('Now')))
      await patch({ upstream_api_key: 'the-new-key' })
      for (const { id } of documents) await expect.poll(async () => (await find(id)).status).toBe('delivered')
      expect((await view()).upstream_trouble).toBeNull()
      expect(upstream.asked.at(-1)).toMatchObject({ key: 'Bearer the-new-key' })
    },
  )

  it('lets all go on that was held for the old one, though the process ends after the first of them', async () => {
    const { id } = await source()
    const { pool } = stage
    // Of a site that is not sent to, so that they only wait.
    const { rows } = await pool.query(
      `WITH account AS (SELECT account_id FROM source WHERE id = $1), stopped AS (
         INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, stopped_at, updated_at)
         SELECT gen_random_uuid(), account_id, 'Paused', 'https://p.example', 'r', 'u', 'p', now(), now() FROM account
         RETURNING id, account_id
       ), event AS (
         INSERT INTO event (id, account_id, source_id, status, digest)
         SELECT uuidv7(), account_id, $1, 'planned', 'held' FROM account RETURNING id
       ), held AS (
         INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, error, updated_at)
         SELECT uuidv7(), stopped.account_id, stopped.id, gen_random_uuid(), event.id, 'held',
           '{"code": "upstream_refused", "message": "", "step": "confirm"}', now()
         FROM stopped, event, generate_series(1, $2)
       ) SELECT id, account_id AS "accountId" FROM stopped`,
      [id, 2 * MANY_ROWS + 1],
    )
    const waiting = async (status: string) =>
      (await pool.query('SELECT FROM delivery WHERE site_id = $1 AND status = $2', [rows[0].id, status]))
        .rowCount
    await resumeSource(pool, { accountId: rows[0].accountId, id })
    await expect.poll(() => waiting('held')).toBe(0)
    expect(await waiting('queued')).toBe(2 * MANY_ROWS + 1)
  })

  it.each([
    ['answers 503', answers({}, 503)],
    [
      'closes the connection',
      ((response) => response.destroy()) as Parameters<UpstreamServer['about']['set']>[1],
    ],
  ])(
    'waits while its upstream %s, at no cost, and others do not notice',
    { timeout: 120_000 },
    async (_, broken) => {
      const { send, view } = await source()
      const other = await source({ confirm: false })
      upstream.all = broken
      const documents = Array.from({ length: 6 }, () => completed({ siteId }))
      for (const document of documents) await send(document)
      const first = documents[0] as { id: string }
      await expect
        .poll(async () => (await find(first.id)).error)
        .toMatchObject({
          code: 'upstream_down',
          step: 'confirm',
          message: expect.stringMatching(
            /^This document waits, since the upstream of source “Maker” .* costs no attempt\.$/,
          ),
        })
      await expect.poll(async () => (await view()).upstream_trouble).toMatchObject({ code: 'upstream_down' })
      const quick = completed({ siteId })
      await other.send(quick)
      expect(await settled(stage.galley, quick.id)).toMatchObject({ status: 'delivered' })
      for (const { id } of documents) expect(await find(id)).toMatchObject({ attempts: 0, post: null })

      upstream.all = undefined
      // Longer than what is read of an answer at first: each is asked for twice, the one that ends the pause too.
      const long = { notes: 'x'.repeat(300_000) }
      for (const { id } of documents) upstream.about.set(id, completedAs(id, data('Back'), long))
      for (const { id } of documents)
        expect(await settled(stage.galley, id)).toMatchObject({ status: 'delivered', attempts: 0 })
      expect((await view()).upstream_trouble).toBeNull()
    },
  )
})

describe('a source whose documents are not confirmed', () => {
  it('asks no upstream, though it has one', async () => {
    const { send } = await source({})
    const document = completed({ siteId, title: 'As sent' })
    await send(document)
    expect(await settled(stage.galley, document.id)).toMatchObject({ status: 'delivered' })
    expect(upstream.asked).toEqual([])
  })
})
