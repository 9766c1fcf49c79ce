import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { findUnannounced } from '../../src/backfill/work.ts'
import { settled } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { answers, completedAs, startUpstream } from './server.ts'
import { setUpUpstream, siteId, stage, upstream } from './stage.ts'

setUpUpstream()

interface Asked {
  document_id: string
  reference?: string
  status: string
  tries: number
  next_at: string | null
  problem: { code: string; message: string } | null
}

async function source(more: object = {}) {
  const { call } = stage.galley
  const asked = { upstream_base_url: upstream.url, upstream_api_key: 'key-of-the-upstream', ...more }
  const made = await call<{ id: string; data: { url: string } }>('POST', '/v1/sources', {
    name: 'Maker',
    ...asked,
  })
  const { id, data } = made.body
  const list = async () => (await call<{ data: Asked[] }>('GET', `/v1/sources/${id}/backfill`)).body.data
  return {
    id,
    list,
    send: (body: object) => call('POST', new URL(data.url).pathname, body),
    ask: (document_ids: string[], delivery: object | null = { id: siteId }) =>
      call('POST', `/v1/sources/${id}/backfill`, { document_ids, ...(delivery && { delivery }) }),
    about: async (documentId: string) => (await list()).find(({ document_id }) => document_id === documentId),
  }
}

/** As if its minute had come, for what a source is to be asked now. */
async function tick(): Promise<void> {
  await stage.pool.query(
    `UPDATE backfill_document SET due_at = now() - interval '1 second' WHERE due_at IS NOT NULL`,
  )
  await stage.pool.query(`SELECT graphile_worker.add_job('backfill')`)
}
const become = async (read: () => Promise<Asked | undefined>, wanted: object) =>
  expect.poll(read).toMatchObject(wanted)
const deliveries = async (documentId: string): Promise<{ id: string; status: string }[]> =>
  (await stage.pool.query('SELECT id, status FROM delivery WHERE document_id = $1', [documentId])).rows
const data = (title: string) => completed({ title }).data

describe('documents whose ids are handed over', () => {
  it('are delivered once, and a webhook that comes later is the same delivery', async () => {
    const { ask, about, send } = await source()
    const document = completed({ siteId, title: 'Never announced' })
    upstream.about.set(document.id, completedAs(document.id, data('Never announced')))
    expect(await ask([document.id, document.id.toUpperCase()])).toMatchObject({
      status: 202,
      body: { data: { asked: 1 } },
    })
    const delivery = await settled(stage.galley, document.id)
    expect(delivery).toMatchObject({ status: 'delivered' })
    await become(() => about(document.id), { status: 'found', tries: 1, next_at: null, problem: null })

    expect(await send(document)).toMatchObject({ status: 202 })
    await expect
      .poll(
        async () =>
          (await settled(stage.galley, document.id)).timeline.filter(({ step }) => step === 'plan').length,
      )
      .toBe(2)
    expect(await settled(stage.galley, document.id)).toMatchObject({
      status: 'delivered',
      post: { id: delivery.post?.id },
    })
    expect(await deliveries(document.id)).toHaveLength(1)
    expect(upstream.asked).toHaveLength(1)
  })

  it('are not asked for where they have a delivery already', async () => {
    const { ask, about, send } = await source()
    const document = completed({ siteId })
    await send(document)
    await settled(stage.galley, document.id)
    await ask([document.id])
    await become(() => about(document.id), { status: 'announced' })
    expect(upstream.asked).toEqual([])
  })

  it('go where their source says, where nobody else does', async () => {
    const { ask } = await source({ defaults: { site_id: siteId, post_status: 'publish' } })
    const id = randomUUID()
    upstream.about.set(id, completedAs(id, data('To the site of its source')))
    await ask([id], null)
    expect(await settled(stage.galley, id)).toMatchObject({
      status: 'delivered',
      post: { status: 'publish' },
    })
  })

  it('are confirmed by that alone, where their source wants it', async () => {
    const { ask } = await source({ confirm: true })
    const id = randomUUID()
    upstream.about.set(id, completedAs(id, data('Said once')))
    await ask([id])
    expect(await settled(stage.galley, id)).toMatchObject({ status: 'delivered' })
    expect(upstream.asked).toHaveLength(1)
  })

  it('are asked for until they are completed, and then no more', async () => {
    const { ask, about } = await source()
    const id = randomUUID()
    upstream.about.set(id, answers({ success: true, id, status: 'researching' }))
    await ask([id])
    await become(() => about(id), {
      status: 'waiting',
      tries: 1,
      problem: { code: 'upstream_not_completed' },
    })
    await tick()
    // A try counts from its beginning: what is answered to it is decided once it has been asked.
    await expect.poll(() => upstream.asked.filter((one) => one.id === id)).toHaveLength(2)
    upstream.about.set(id, completedAs(id, data('At last')))
    await tick()
    expect(await settled(stage.galley, id)).toMatchObject({ status: 'delivered' })
    await become(() => about(id), { status: 'found', tries: 3, next_at: null })
  })

  it('are asked for at once where somebody wants them again, whatever is heard of an earlier question', async () => {
    const { ask, about } = await source()
    const [late, gone] = [randomUUID(), randomUUID()]
    for (const [id, earlier] of [
      [late, answers({ success: true, id: late, status: 'researching' })],
      [gone, answers({ success: false }, 404)],
    ] as const) {
      let answer = () => {}
      upstream.about.set(id, (response, request) => {
        answer = () => earlier(response, request)
      })
      await ask([id])
      await expect.poll(() => upstream.asked.filter((one) => one.id === id)).toHaveLength(1)
      await ask([id])
      upstream.about.set(id, completedAs(id, data('Meanwhile')))
      answer()
      expect(await settled(stage.galley, id)).toMatchObject({ status: 'delivered' })
      await become(() => about(id), { status: 'found', tries: 1, next_at: null, problem: null })
    }
  })

  it('are given up when they are not completed after a week', async () => {
    const { ask, about } = await source()
    const id = randomUUID()
    upstream.about.set(id, answers({ success: true, id, status: 'images' }))
    await ask([id])
    await become(() => about(id), { tries: 1, problem: { code: 'upstream_not_completed' } })
    await stage.pool.query(
      `UPDATE backfill_document SET created_at = now() - interval '8 days' WHERE document_id = $1`,
      [id],
    )
    await tick()
    await become(() => about(id), { status: 'given_up', next_at: null })
  })

  it.each([
    [
      'failed',
      (id: string) => answers({ success: true, id, status: 'failed', error: { code: 'CONTENT_MODERATION' } }),
    ],
    ['unknown', () => answers({ success: false }, 404)],
    ['unusable', () => completedAs(randomUUID(), data('Another'))],
    ['unusable', () => answers('<html>')],
  ])('end as %s, and nothing is delivered', async (status, answer) => {
    const { ask, about } = await source()
    const id = randomUUID()
    upstream.about.set(id, answer(id))
    await ask([id])
    await become(() => about(id), {
      status,
      next_at: null,
      problem: { message: expect.stringContaining('Nothing was published') },
    })
    expect(await deliveries(id)).toEqual([])
  })

  it('are kept, and go nowhere, where nobody says where to or the source may not send there', async () => {
    const { ask, about } = await source({ limits: { sites: [randomUUID()] } })
    const [nowhere, outside] = [randomUUID(), randomUUID()]
    for (const id of [nowhere, outside]) upstream.about.set(id, completedAs(id, data('Kept')))
    await ask([nowhere], null)
    await become(() => about(nowhere), { status: 'found', problem: { code: 'document_kept' } })
    await ask([outside])
    await become(() => about(outside), { status: 'found', problem: { code: 'document_refused' } })
    expect(await deliveries(outside)).toEqual([])
    expect(await deliveries(nowhere)).toEqual([])
  })

  it('wait while the upstream is in trouble, and another source’s do not', async () => {
    const { ask, about, id: troubled } = await source()
    const well = await startUpstream()
    const other = await source({ upstream_base_url: well.url })
    upstream.all = answers({}, 503)
    const ids = Array.from({ length: 5 }, () => randomUUID())
    await ask(ids)
    await expect
      .poll(async () => (await Promise.all(ids.map(about))).map((one) => one?.problem?.code))
      .toContain('upstream_down')
    const quick = randomUUID()
    well.about.set(quick, completedAs(quick, data('Quick')))
    await other.ask([quick])
    expect(await settled(stage.galley, quick)).toMatchObject({ status: 'delivered' })
    // The first is asked about; the others are not sent to an upstream that failed a moment ago.
    expect(upstream.asked.length).toBeLessThan(5)
    expect((await Promise.all(ids.map(about))).map((one) => one?.tries)).toEqual([0, 0, 0, 0, 0])

    upstream.all = undefined
    for (const id of ids) upstream.about.set(id, completedAs(id, data('Back')))
    await stage.pool.query('UPDATE source SET upstream_paused_until = now() WHERE id = $1', [troubled])
    await tick()
    for (const id of ids) expect(await settled(stage.galley, id)).toMatchObject({ status: 'delivered' })
    await well.close()
  })

  it('422 without an upstream, and 404 for another’s source', async () => {
    const bare = await source({ upstream_api_key: undefined, upstream_base_url: undefined })
    expect(await bare.ask([randomUUID()])).toMatchObject({
      status: 422,
      body: { error: { code: 'UPSTREAM_NEEDED' } },
    })
    const unknown = `/v1/sources/${randomUUID()}/backfill`
    expect(await stage.galley.call('POST', unknown, { document_ids: [randomUUID()] })).toMatchObject({
      status: 404,
    })
    expect(await stage.galley.call('GET', unknown)).toMatchObject({ status: 404 })
  })
})

describe('documents of which only a step was announced', () => {
  const earlier = () =>
    // Events are looked at a minute after they came.
    stage.pool.query(
      `UPDATE event SET id = (lpad(to_hex((extract(epoch FROM now() - interval '2 minutes') * 1000)::bigint), 12, '0')
         || substr(replace(id::text, '-', ''), 13))::uuid WHERE status = 'kept'`,
    )

  it('are found, asked for, and delivered where the step says', async () => {
    const { send, about } = await source({ backfill: true })
    const id = randomUUID()
    await send({ event: 'research.completed', id, delivery: { id: siteId, post_status: 'pending' } })
    await send({ event: 'text.completed', id })
    await earlier()
    await stage.pool.query(`SELECT graphile_worker.add_job('backfill')`)
    await become(() => about(id), { status: 'waiting', tries: 0 })
    upstream.about.set(id, completedAs(id, data('Only its steps')))
    await tick()
    expect(await settled(stage.galley, id)).toMatchObject({
      status: 'delivered',
      post: { status: 'pending' },
    })
  })

  it('are left alone where the source does not want that, and images and sounds are', async () => {
    const wants = await source({ backfill: true })
    const not = await source()
    const [step, image, odd] = [randomUUID(), randomUUID(), randomUUID()]
    await not.send({ event: 'research.completed', id: step })
    await wants.send({ event: 'image.completed', id: image })
    await wants.send({ event: 'research.completed', id: 'its own' })
    await wants.send({ event: 'research.completed', id: odd })
    await earlier()
    await stage.pool.query(`SELECT graphile_worker.add_job('backfill')`)
    await become(() => wants.about(odd), { status: 'waiting' })
    await expect
      .poll(async () =>
        (await wants.list()).map(({ document_id, reference }) => reference ?? document_id).sort(),
      )
      .toEqual([odd, 'its own'].sort())
    expect(await not.list()).toEqual([])
  })

  it('are all found, of hundreds that were announced since the last look', async () => {
    // Before it is looked through at all: the process that runs beside this looks as well, and never back.
    const { id } = await source()
    // Of some minutes ago, each with a body of its own, which are many megabytes together.
    await stage.pool.query(
      `INSERT INTO event (id, account_id, source_id, kind, document_id, status, digest, body)
       SELECT (lpad(to_hex((extract(epoch FROM now() - interval '5 minutes') * 1000)::bigint + n), 12, '0')
           || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid,
         account_id, id, 'text.completed', gen_random_uuid(), 'kept', sha256(n::text::bytea),
         convert_to(json_build_object('event', 'text.completed', 'text', repeat('x', 60000))::text, 'UTF8')
       FROM source, generate_series(1, 250) AS n WHERE id = $1`,
      [id],
    )
    const { call } = stage.galley
    expect(await call('PATCH', `/v1/sources/${id}`, { backfill: true })).toMatchObject({ status: 200 })
    await findUnannounced(stage.pool, 3_600_000)
    const found = async () =>
      (await stage.pool.query('SELECT FROM backfill_document WHERE source_id = $1', [id])).rowCount
    expect(await found()).toBe(250)
    await findUnannounced(stage.pool, 3_600_000)
    expect(await found()).toBe(250)
  })
})
