import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settled } from '../support/galley.ts'
import { answer, type Fault, restError } from '../support/proxy/index.ts'
import { type RestItem, removeTerm, rest, wordpress } from '../support/wordpress/index.ts'
import { read, withMore } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

// What a setting of the site names was removed in WordPress since: whoever reads of it is told which setting it is.

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage()
})

afterAll(() => stage.close())

const siteOf = async (siteId: string) =>
  (await stage.galley.call<{ data: { status: string } }>('GET', `/v1/sites/${siteId}`)).body.data

const patch = (siteId: string, settings: object) =>
  stage.galley.call('PATCH', `/v1/sites/${siteId}`, { settings })

test('an author who was removed: the site waits for its setting, and goes on when that is another', async () => {
  const username = `gone-${stage.documents.word}`
  const { id } = await rest<RestItem>('administrator', 'POST', '/wp/v2/users', {
    ...{ username, email: `${username}@example.com`, password: randomUUID(), roles: ['author'] },
  })
  const { siteId } = await stage.lane('editor', { author: username })
  await rest('administrator', 'DELETE', `/wp/v2/users/${id}?force=true&reassign=1`)
  const [one, other] = [stage.documents.make(siteId), stage.documents.make(siteId)]
  const { status, error } = await stage.deliver(one)
  expect({ status, code: error?.code }).toEqual({ status: 'held', code: 'setting_refused' })
  expect(error?.message).toContain('the site’s setting “author”')
  expect(await siteOf(siteId)).toMatchObject({ state: 'needs_you', trouble: { code: 'setting_refused' } })
  expect(await stage.deliver(other)).toMatchObject({ status: 'held' })
  expect((await patch(siteId, { author: null })).status).toBe(200)
  for (const document of [one, other]) {
    const { status, post } = await settled(stage.galley, document.id)
    expect(status).toBe('delivered')
    expect((await read(post?.id)).author).not.toBe(id)
  }
  expect(await siteOf(siteId)).toMatchObject({ trouble: null })
})

test('an author refused late, when the setting is another already, says nothing about the site', async () => {
  const { login } = wordpress().users.editor
  const { siteId, proxy } = await stage.lane('editor', { author: login })
  const news = new EventEmitter()
  const asked = once(news, 'asked')
  const changed = once(news, 'changed')
  const late: Fault = {
    name: 'refused late',
    async apply({ reply }) {
      news.emit('asked')
      await changed
      reply(restError(400, 'rest_invalid_author', 'Invalid author ID.'))
    },
  }
  proxy.rule({ method: 'POST', path: '/wp/v2/posts', nth: 1 }, late)
  const document = stage.documents.make(siteId)
  await stage.send(document)
  await asked
  expect((await patch(siteId, { author: null })).status).toBe(200)
  news.emit('changed')
  await expect.poll(async () => (await settled(stage.galley, document.id)).status).toBe('delivered')
  expect(await siteOf(siteId)).toMatchObject({ trouble: null })
})

const refusal = restError(400, 'rest_invalid_param', 'Invalid parameter(s): lang')
/** As WordPress refuses a language that Polylang does not have. */
const noSuchLanguage = answer({
  ...refusal,
  body: Buffer.from(
    JSON.stringify({
      ...JSON.parse(String(refusal.body)),
      data: { status: 400, params: { lang: 'lang is not one of fr.' } },
    }),
  ),
})

const speaks = (siteId: string, language: string) =>
  stage.pool.query(
    `UPDATE site SET settings = settings || jsonb_build_object('language', $2::text) WHERE id = $1`,
    [siteId, language],
  )

test('a language that is refused of a look for a category alone leaves that out, and the site goes on', async () => {
  const { siteId, proxy } = await stage.lane()
  await speaks(siteId, 'xx')
  proxy.rule({ method: 'GET', path: '/wp/v2/categories' }, noSuchLanguage)
  const document = withMore(stage.documents.make(siteId), {}, { categories: ['Sailing'] })
  const { status, warnings } = await stage.deliver(document)
  expect(status).toBe('delivered')
  expect(warnings.map(({ message }) => message).join('\n')).toMatch(
    /category “Sailing” was left out.*the site’s setting “language”/,
  )
})

test('422: of a language that is not there is said which there are, whatever else is changed with it', async () => {
  const { siteId, proxy } = await stage.lane()
  proxy.rule({ path: '/wp/v2/categories' }, noSuchLanguage)
  const languages = Buffer.from(JSON.stringify([{ slug: 'fr', name: 'Français' }]))
  proxy.rule({ path: '/pll/v1/languages' }, answer({ ...refusal, status: 200, body: languages }))
  expect(await patch(siteId, { language: 'xx', default_categories: ['Sailing'] })).toMatchObject({
    status: 422,
    body: {
      error: {
        code: 'SETTINGS_UNFIT',
        details: [{ path: 'settings.language', message: 'there is no language xx; there are fr (Français)' }],
      },
    },
  })
})

test('a language that the site refuses is said to be that of the setting', async () => {
  const { siteId, proxy } = await stage.lane()
  await speaks(siteId, 'xx')
  proxy.rule({ method: 'POST', path: '/wp/v2/posts' }, noSuchLanguage)
  const { error } = await stage.deliver(stage.documents.make(siteId))
  expect(error?.message).toContain('the site’s setting “language”')
})

test('a post type that is gone is said to be that of the setting', async () => {
  const { siteId } = await stage.lane()
  await stage.pool.query(`UPDATE site SET settings = settings || '{"post_type": "gone"}' WHERE id = $1`, [
    siteId,
  ])
  await stage.send(stage.documents.make(siteId))
  await expect
    .poll(() => siteOf(siteId))
    .toMatchObject({ trouble: { message: expect.stringContaining('the site’s setting “post_type”') } })
})

test('categories that are gone are said to be of the settings that name them', async () => {
  const names = ['Default', 'Fallback', 'Alias'].map((name) => `${name} ${stage.documents.word}`)
  const [preset, fallback, meant] = names as [string, string, string]
  const ids: number[] = []
  for (const name of names)
    ids.push((await rest<RestItem>('editor', 'POST', '/wp/v2/categories', { name })).id)
  const { siteId } = await stage.lane('editor', {
    ...{ term_policy: 'existing_only', default_categories: [preset], fallback_category: fallback },
    category_aliases: { Sailing: meant },
  })
  for (const id of ids) await removeTerm('categories', id)
  const saidOf = async (categories: string[]) => {
    const document = withMore(stage.documents.make(siteId), {}, { categories })
    return (await stage.deliver(document)).warnings.map(({ message }) => message).join('\n')
  }
  const none = await saidOf([])
  expect(none).toContain(`category “${preset}” (which the setting “default_categories” names)`)
  expect(none).toContain(`category “${fallback}” (which the setting “fallback_category” names)`)
  expect(await saidOf(['Sailing'])).toContain(
    `category “${meant}” (which the setting “category_aliases” puts in the place of “Sailing”)`,
  )
  expect(await saidOf(['Nowhere'])).toContain('has no category “Nowhere”, and its settings')
})
