import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settled, startTestGalley, type TestGalley, webhookPath } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { misbehavingSite, type Role, removePost, rest, wordpress } from '../support/wordpress/index.ts'

const { url, users } = wordpress()

interface Refusal {
  error: { code: string; message: string; details: { path: string; message: string }[] }
}

let galley: TestGalley
beforeAll(async () => {
  galley = await startTestGalley()
})
afterAll(() => galley.stop())

const connection = (role: Role) => ({
  url,
  username: users[role].login,
  application_password: users[role].applicationPassword,
})

const connect = (role: Role, settings: object, query = '?check=false') =>
  galley.call<{ id: string } & Refusal>('POST', `/v1/sites${query}`, { ...connection(role), settings })

async function deliver(siteId: string, requested: object = {}) {
  const webhook = completed({ siteId, ...requested })
  await fetch(`${galley.url}${await webhookPath(galley)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(webhook),
  })
  const delivery = await settled(galley, webhook.id)
  expect(delivery.status).toBe('delivered')
  const post = await rest<{ id: number; author: number; type: string }>(
    'administrator',
    'GET',
    `/wp/v2/posts/${delivery.post?.id}?context=edit`,
  )
  await removePost(post.id)
  return { delivery, post }
}

describe('settings that do not fit the site', () => {
  it('422-settings-unfit, every one named with what the site has instead, and nothing is stored', async () => {
    const { status, body } = await connect('editor', {
      post_type: 'novels',
      author: 'Nobody at all',
      fallback_category: 'Nowhere at all',
    })
    expect(status).toBe(422)
    expect(body.error.code).toBe('SETTINGS_UNFIT')
    expect(body.error.details).toEqual([
      { path: 'settings.post_type', message: expect.stringMatching(/no post type novels.*posts \(/) },
      {
        path: 'settings.fallback_category',
        message: expect.stringMatching(/“Nowhere at all”.*Uncategorized/),
      },
      { path: 'settings.author', message: expect.stringMatching(/“Nobody at all”; it shows ./) },
    ])
    expect((await galley.call<{ data: object[] }>('GET', '/v1/sites')).body.data).toEqual([])
  })

  it('accepts a default category that would be made, and refuses it of a user who may make none', async () => {
    const default_categories = [`Default ${randomUUID().slice(0, 8)}`]
    const accepted = await connect('editor', { default_categories })
    expect(accepted.status).toBe(201)
    await galley.call('DELETE', `/v1/sites/${accepted.body.id}`)
    expect(await connect('author', { default_categories })).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: 'settings.default_categories' }] } },
    })
  })

  it('200-changed, 422-not: a change is held against the site as well', async () => {
    const { id } = (await connect('editor', {})).body
    const change = (settings: object) => galley.call('PATCH', `/v1/sites/${id}`, { settings })
    expect(await change({ post_type: 'pages' })).toMatchObject({ status: 200 })
    expect(await change({ post_type: 'novels' })).toMatchObject({ status: 422 })
    expect(await change({ author: 'Nobody at all' })).toMatchObject({ status: 422 })
    const { body } = await galley.call<{ data: object }>('GET', `/v1/sites/${id}`)
    expect(body.data).toMatchObject({ settings: { post_type: 'pages', author: null } })
    await galley.call('DELETE', `/v1/sites/${id}`)
  })
})

it('200-choices: what the settings may name, under the names of the site', async () => {
  const { id } = (await connect('editor', {})).body
  const { body } = await galley.call<{ data: Record<string, unknown> }>('GET', `/v1/sites/${id}/choices`)
  const { name } = await rest<{ name: string }>('editor', 'GET', '/wp/v2/users/me?context=edit')
  expect(body.data).toMatchObject({
    post_types: expect.arrayContaining([{ value: 'pages', name: 'Pages' }]),
    authors: expect.arrayContaining([name]),
    categories: expect.arrayContaining(['Uncategorized']),
    languages: [],
  })
  await galley.call('DELETE', `/v1/sites/${id}`)
})

describe('settings that a delivery honours', () => {
  it('gives posts to the author that the settings name', async () => {
    const [author] = await rest<{ id: number; name: string }[]>(
      'administrator',
      'GET',
      `/wp/v2/users?context=edit&search=${users.author.login}`,
    )
    const { id, ...answer } = (await connect('editor', { author: author?.name })).body
    expect(answer).toMatchObject({ success: true })
    expect((await deliver(id)).post.author).toBe(author?.id)
  })

  it('writes the description into the SEO field that the site offers, and not where the settings say so', async () => {
    const site = await misbehavingSite('seo')
    const written = async (settings: object) => {
      const { body } = await galley.call<{ id: string; data: { report: { findings: object[] } } }>(
        'POST',
        '/v1/sites',
        { ...connection('editor'), url: site.url, settings },
      )
      const webhook = completed({ siteId: body.id, description: 'Cold & early' })
      await fetch(`${galley.url}${await webhookPath(galley)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(webhook),
      })
      const { post, warnings } = await settled(galley, webhook.id)
      expect(warnings).toEqual([])
      const { login, applicationPassword } = users.editor
      const response = await fetch(`${site.url}/wp-json/wp/v2/posts/${post?.id}?context=edit`, {
        headers: {
          authorization: `Basic ${Buffer.from(`${login}:${applicationPassword}`).toString('base64')}`,
        },
      })
      const { meta } = (await response.json()) as { meta: Record<string, unknown> }
      await removePost(post?.id as number)
      // A site is connected once for a user.
      await galley.call('DELETE', `/v1/sites/${body.id}`)
      return meta._yoast_wpseo_metadesc
    }
    expect(await written({})).toBe('Cold & early')
    expect(await written({ seo_description: false })).toBe('')
    await site.close()
  })
})
