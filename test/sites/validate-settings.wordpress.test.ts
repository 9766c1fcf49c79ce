import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestGalley, type TestGalley } from '../support/galley.ts'
import { type Role, rest, wordpress } from '../support/wordpress/index.ts'

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
  const team = await rest<{ id: number }>('administrator', 'POST', '/wp/v2/users', {
    username: `team-${randomUUID().slice(0, 8)}`,
    name: 'The R&D team',
    email: `${randomUUID()}@example.com`,
    password: randomUUID(),
    roles: ['author'],
  })
  const category = await rest<{ id: number }>('administrator', 'POST', '/wp/v2/categories', { name: 'R&D' })
  const { id } = (await connect('editor', { author: 'The R&D team' })).body
  const { body } = await galley.call<{ data: Record<string, unknown> }>('GET', `/v1/sites/${id}/choices`)
  const { name } = await rest<{ name: string }>('editor', 'GET', '/wp/v2/users/me?context=edit')
  expect(body.data).toMatchObject({
    post_types: expect.arrayContaining([{ value: 'pages', name: 'Pages' }]),
    authors: expect.arrayContaining([name, 'The R&D team']),
    categories: expect.arrayContaining(['Uncategorized', 'R&D']),
    languages: [],
  })
  await rest('administrator', 'DELETE', `/wp/v2/categories/${category.id}?force=true`)
  await rest('administrator', 'DELETE', `/wp/v2/users/${team.id}?force=true&reassign=1`)
  await galley.call('DELETE', `/v1/sites/${id}`)
})
