import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { settled } from '../support/galley.ts'
import {
  answer,
  answerAfter,
  type Fault,
  type FaultProxy,
  pages,
  resetAfter,
  restError,
} from '../support/proxy/index.ts'
import { misbehavingSite, type RestItem, rest } from '../support/wordpress/index.ts'
import { postsOf } from './plugin-lane.ts'
import { withMore } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'
import { asAdministrator } from './with-plugin.ts'

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage()
})

afterAll(() => stage.close())

test('a reserve that nobody heard of is adopted though the site wants pages since', async () => {
  const { siteId, proxy } = await stage.lane()
  const document = stage.documents.make(siteId)
  let changed: number | undefined
  proxy.rule(
    { method: 'POST', path: '/wp/v2/posts', nth: 1 },
    {
      name: 'the setting changes while the answer is lost',
      async apply(exchange) {
        changed = (await stage.galley.call('PATCH', `/v1/sites/${siteId}`, { post_type: 'pages' })).status
        await answerAfter(pages.badGateway).apply(exchange)
      },
    },
  )
  const { status, post } = await stage.deliver(document)
  expect({ status, changed }).toEqual({ status: 'delivered', changed: 200 })
  expect(await postsOf(document)).toMatchObject([{ id: post?.id }])
  const madeAsPages = await rest<RestItem[]>(
    'administrator',
    'GET',
    `/wp/v2/pages?status=any&search=${stage.documents.word}`,
  )
  expect(madeAsPages).toEqual([])
})

test('a reserve that was refused is made in the type that the site wants since, where the other is closed to its user', async () => {
  const { siteId, proxy } = await stage.lane('editor', { post_type: 'pages' })
  const document = stage.documents.make(siteId)
  proxy.rule({ method: 'POST', path: '/wp/v2/pages' }, answer(restError(403, 'rest_cannot_create', 'Sorry.')))
  // As WordPress answers who may not edit that type: the statuses that are asked for count as invalid.
  proxy.rule(
    { method: 'GET', path: '/wp/v2/pages' },
    answer(restError(400, 'rest_invalid_param', 'Invalid: status')),
  )
  expect(await stage.deliver(document)).toMatchObject({ status: 'held', error: { code: 'rights_missing' } })
  const { id } = await settled(stage.galley, document.id)
  await stage.galley.call('PATCH', `/v1/sites/${siteId}`, { post_type: 'posts' })
  await stage.galley.call('POST', `/v1/deliveries/${id}/retry`)
  expect(await settled(stage.galley, document.id)).toMatchObject({ status: 'delivered' })
})

/** A lane whose posts are of a type without excerpts. It is registered for each request that says so, also for those that break. */
async function notesLane(how = 'notes') {
  const site = await misbehavingSite(how)
  onTestFinished(() => site.close())
  const { siteId, proxy } = await stage.lane()
  const asNotes = (fault: Fault): Fault => ({
    name: fault.name,
    apply: (exchange) =>
      fault.apply({
        ...exchange,
        forward: () => exchange.forward({ headers: { ...exchange.request.headers, 'x-galley-test': how } }),
      }),
  })
  const passed: Fault = { name: 'passed', apply: async ({ forward, reply }) => reply(await forward()) }
  await stage.pool.query(`UPDATE site SET settings = settings || '{"post_type": "notes"}' WHERE id = $1`, [
    siteId,
  ])
  return { siteId, proxy, asNotes, passed }
}

const removeNote = ({ url }: FaultProxy, id: number | undefined) =>
  asAdministrator(url, 'DELETE', `/wp/v2/notes/${id}?force=true`)

test('a type without excerpts misses none: a lost answer is no change, and the same text no write', async () => {
  const { siteId, proxy, asNotes, passed } = await notesLane()
  const document = stage.documents.make(siteId)
  proxy.rule({ method: 'POST', path: /\/notes\/\d+$/, nth: 1 }, asNotes(resetAfter))
  proxy.rule({}, asNotes(passed))
  const { status, post } = await stage.deliver(document)
  expect(status).toBe('delivered')
  const from = proxy.requests.length
  const same = stage.documents.make(siteId, { of: document })
  await stage.deliver({ ...same, body: { ...same.body, extra: 'another event' } })
  expect(proxy.requests.slice(from).filter(({ method }) => method !== 'GET')).toEqual([])
  await removeNote(proxy, post?.id)
})

test('a newer version that changes nothing but the description is written where that stands nowhere else', async () => {
  const { siteId, proxy, asNotes, passed } = await notesLane('notes,described-notes')
  const field = '_yoast_wpseo_metadesc'
  await stage.pool.query('UPDATE site SET seo_field = $2 WHERE id = $1', [siteId, field])
  /** As WordPress answered to each fill. */
  const described: unknown[] = []
  proxy.rule(
    { method: 'POST', path: /\/notes\/\d+$/ },
    asNotes({
      name: 'passed',
      async apply({ forward, reply }) {
        const answered = await forward()
        described.push(JSON.parse(answered.body.toString()).meta[field])
        reply(answered)
      },
    }),
  )
  proxy.rule({}, asNotes(passed))
  const document = stage.documents.make(siteId)
  const describedAs = (description: string, extra: string) => {
    const next = withMore(stage.documents.make(siteId, { of: document }), { description })
    return stage.deliver({ ...next, body: { ...next.body, extra } })
  }
  const { status, post } = await stage.deliver(document)
  expect(status).toBe('delivered')
  await describedAs('Said & done.', 'changed')
  await describedAs('Said & done.', 'the same')
  expect(described).toEqual([expect.stringContaining('What'), 'Said & done.'])
  await removeNote(proxy, post?.id)
})

test('a newer version that names another type keeps the post and its type, and says so', async () => {
  const siteId = await stage.site()
  const document = stage.documents.make(siteId)
  const first = await stage.deliver(document)
  const newer = stage.documents.make(siteId, { of: document, version: 'second' })
  const { status, post, warnings } = await stage.deliver(withMore(newer, {}, { post_type: 'page' }))
  expect({ status, id: post?.id }).toEqual({ status: 'delivered', id: first.post?.id })
  expect(warnings).toEqual([
    {
      code: 'post_type_kept',
      message: expect.stringContaining(`Post ${post?.id}`),
      severity: 'change',
    },
  ])
  const standing = await rest<{ type: string; content: { raw: string } }>(
    'administrator',
    'GET',
    `/wp/v2/posts/${post?.id}?context=edit`,
  )
  expect(standing).toMatchObject({
    type: 'post',
    content: { raw: expect.stringContaining(newer.says.replace('&', '&amp;')) },
  })
})
