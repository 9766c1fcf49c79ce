import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { connectionOf, sealedPassword } from '../../src/sites/connection.ts'
import { startApp, type TestApp } from '../http/app.ts'
import { completed } from '../support/webhooks.ts'
import { rest, wordpress } from '../support/wordpress/index.ts'

const { url, users } = wordpress()
const author = { url, username: users.author.login, application_password: users.author.applicationPassword }

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())
afterEach(() => app.database.prisma.site.deleteMany())

const register = (body: object = author) => app.ask('POST', '/v1/sites?check=false', { body })
/** Names a site of the owner in the database. */
const at = (id: string) => ({ accountId_id: { accountId: app.owner.id, id } })
const row = (id: string) => app.database.prisma.site.findUniqueOrThrow({ where: at(id) })

describe('connecting a site', () => {
  it('201-connected, its REST root found, and its password kept to itself and its own row', async () => {
    const { status, body } = await register({ ...author, url: `${url}/wp-admin`, labels: ['news'] })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      success: true,
      id: body.data.id,
      data: {
        name: expect.stringMatching(/./),
        url,
        rest_root: `${url}/wp-json/`,
        username: users.author.login,
        state: 'unchecked',
        trouble: null,
        since: null,
        next_try: null,
        labels: ['news'],
        settings: { format: 'auto', concurrency: 2 },
      },
    })
    for (const answer of [
      body,
      (await app.ask('GET', `/v1/sites/${body.id}`)).body,
      (await app.ask('GET', '/v1/sites')).body,
    ])
      expect(JSON.stringify(answer)).not.toContain(users.author.applicationPassword)
    expect(app.logged.join('')).not.toContain(users.author.applicationPassword)
    const stored = await row(body.id)
    expect(JSON.stringify(stored)).not.toContain(users.author.applicationPassword)
    expect(connectionOf(app.keyring, stored).applicationPassword).toBe(users.author.applicationPassword)
    for (const other of [{ id: crypto.randomUUID() }, { accountId: crypto.randomUUID() }])
      expect(() => connectionOf(app.keyring, { ...stored, ...other })).toThrow('cannot be decrypted')
  })

  it('201-the-id-that-the-caller-brings, and settings beside the other fields or under their own', async () => {
    const id = 'AAAAAAAA-1111-1111-1111-111111111111'
    const settings = { concurrency: 4, format: 'block' }
    const { status, body } = await register({ ...author, id, format: 'classic', settings })
    expect({ status, id: body.id }).toEqual({ status: 201, id: id.toLowerCase() })
    expect(body.data.settings).toMatchObject({ format: 'classic', concurrency: 4, term_policy: 'create' })
    expect((await row(body.id)).settings).toEqual({ format: 'classic', concurrency: 4 })
    expect(await register({ ...author, id })).toMatchObject({
      status: 409,
      body: { error: { code: 'SITE_ID_TAKEN' } },
    })
  })

  it('gives an id once, to whoever connects with it first', async () => {
    const id = crypto.randomUUID()
    const answers = await Promise.all([register({ ...author, id }), register({ ...author, id })])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  })

  it('422-wrong-password, and nothing is stored', async () => {
    const answer = await register({ ...author, application_password: 'abcd EFGH 1234 abcd EFGH 1234' })
    expect(answer).toMatchObject({
      status: 422,
      body: { error: { code: 'NOT_LOGGED_IN', message: expect.stringMatching(/./) } },
    })
    expect(await app.database.prisma.site.count()).toBe(0)
  })

  it('starts what waited for the site', async () => {
    const siteId = crypto.randomUUID()
    const source = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream' } })
    const event = completed({ siteId })
    await app.ask('POST', new URL(source.body.data.url).pathname, { body: event })
    const state = async () =>
      (await app.ask('GET', `/v1/deliveries?document_id=${event.id}`)).body.data[0].status
    expect(await state()).toBe('held')
    await register({ ...author, id: siteId })
    expect(await state()).toBe('queued')
  })
})

describe('changing a site', () => {
  it('200-renamed, without asking the site anything, and keeps both of two settings that are changed at once', async () => {
    const { body } = await register()
    await app.database.prisma.site.update({
      where: at(body.id),
      data: { restRoot: 'http://127.0.0.1:9/' },
    })
    const answer = await app.ask('PATCH', `/v1/sites/${body.id}`, {
      body: { name: 'Renamed', concurrency: 5 },
    })
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { name: 'Renamed', settings: { concurrency: 5 } } },
    })
    await Promise.all([
      app.ask('PATCH', `/v1/sites/${body.id}`, { body: { settings: { concurrency: 6 } } }),
      app.ask('PATCH', `/v1/sites/${body.id}`, { body: { settings: { format: 'classic' } } }),
    ])
    expect((await row(body.id)).settings).toEqual({ concurrency: 6, format: 'classic' })
  })

  it('200-reconnected, and its trouble is over, even where the old password can no longer be decrypted', async () => {
    const { id } = (await register()).body
    const trouble = { code: 'password_wrong', message: 'The password was revoked.' }
    await app.database.prisma.site.update({
      where: at(id),
      data: { trouble, applicationPassword: 'v1.lost.aa.bb' },
    })
    expect((await app.ask('GET', `/v1/sites/${id}`)).body.data).toMatchObject({
      state: 'needs_owner',
      trouble,
    })
    const { login: username, applicationPassword: application_password } = users.editor
    const answer = await app.ask('PATCH', `/v1/sites/${id}`, { body: { username, application_password } })
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { username, state: 'unchecked', trouble: null } },
    })
    expect(connectionOf(app.keyring, await row(id)).applicationPassword).toBe(application_password)
  })

  it('422-wrong-password and 422-wrong-username, each said as what it is, and the ones that work stay', async () => {
    const { id } = (await register()).body
    const before = await row(id)
    const body = { application_password: 'abcd EFGH 1234 abcd EFGH 1234', name: 'Renamed' }
    expect(await app.ask('PATCH', `/v1/sites/${id}`, { body })).toMatchObject({
      status: 422,
      body: { error: { code: 'NOT_LOGGED_IN' } },
    })
    const unknown = await app.ask('PATCH', `/v1/sites/${id}`, { body: { username: 'nobody-at-all' } })
    expect(unknown).toMatchObject({
      status: 422,
      body: {
        error: {
          code: 'USERNAME_UNKNOWN',
          message: expect.stringContaining('no user by the name “nobody-at-all”'),
        },
      },
    })
    expect(await row(id)).toEqual(before)
  })
})

describe('a site that is connected already', () => {
  const twins = (id: string) => ({
    status: 409,
    body: {
      error: {
        code: 'SITE_CONNECTED_ALREADY',
        message: expect.stringContaining(id),
        details: { site_id: id },
      },
    },
  })

  it('409-named, for the same user in any letter case and at any address of it, but not to another account', async () => {
    const { id } = (await register()).body
    expect(await register()).toMatchObject(twins(id))
    const shouted = { ...author, url: `${url}/wp-admin/`, username: author.username.toUpperCase() }
    expect(await register(shouted)).toMatchObject(twins(id))
    const { login, applicationPassword } = users.editor
    const editor = { url, username: login, application_password: applicationPassword }
    const other = await register(editor)
    expect(other.status).toBe(201)
    expect(await app.ask('PATCH', `/v1/sites/${other.body.id}`, { body: author })).toMatchObject(twins(id))
    const stranger = { body: author, key: app.stranger.key }
    expect(await app.ask('POST', '/v1/sites?check=false', stranger)).toMatchObject({ status: 201 })
  })

  it('409-unnamed, to a key that does not see it', async () => {
    const { id } = (await register()).body
    const requested = { name: 'News', role: 'manager', labels: ['news'] }
    const { key } = (await app.ask('POST', '/v1/keys', { body: requested })).body.data
    const body = { ...author, labels: ['news'] }
    const answer = await app.ask('POST', '/v1/sites?check=false', { body, key })
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'SITE_CONNECTED_ALREADY' } } })
    expect(JSON.stringify(answer.body)).not.toContain(id)
    await app.ask('PATCH', `/v1/sites/${id}`, { body: { labels: ['news'] } })
    expect(await app.ask('POST', '/v1/sites?check=false', { body, key })).toMatchObject(twins(id))
  })

  it('is connected once by two requests at once', async () => {
    const answers = await Promise.all([register(), register(), register()])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })
})

describe('removing a site', () => {
  it('200-removed, and its password still opens the site', async () => {
    const { id } = (await register()).body
    expect(await app.ask('DELETE', `/v1/sites/${id}`)).toMatchObject({
      status: 200,
      body: { success: true, id, message: expect.stringContaining(`give it this "id", ${id}`) },
    })
    expect(await app.ask('GET', `/v1/sites/${id}`)).toMatchObject({ status: 404 })
    expect(await register()).toMatchObject({ status: 201 })
  })

  it('200-removed-and-revoked, and the password opens nothing any more', async () => {
    const made = await rest<{ password: string; uuid: string }>(
      'author',
      'POST',
      '/wp/v2/users/me/application-passwords',
      { name: `galley-revoke-${crypto.randomUUID()}` },
    )
    const connection = { ...author, application_password: made.password }
    const { id } = (await register(connection)).body
    expect((await row(id)).passwordUuid).toBe(made.uuid)
    expect(await app.ask('DELETE', `/v1/sites/${id}?revoke=true`)).toMatchObject({ status: 200 })
    const left = await rest<{ uuid: string }[]>('author', 'GET', '/wp/v2/users/me/application-passwords')
    expect(left.map(({ uuid }) => uuid)).not.toContain(made.uuid)
    expect(await register(connection)).toMatchObject({ status: 422 })
  })

  it('422-not-revoked, and the site stays; 409 where nobody knows which password it is', async () => {
    const { id } = (await register()).body
    const away = { restRoot: 'http://127.0.0.1:9/', applicationPassword: 'not asked for' }
    const applicationPassword = sealedPassword(app.keyring, { accountId: app.owner.id, id }, away)
    await app.database.prisma.site.update({
      where: at(id),
      data: { restRoot: away.restRoot, applicationPassword },
    })
    expect(await app.ask('DELETE', `/v1/sites/${id}?revoke=true`)).toMatchObject({
      status: 422,
      body: { error: { code: 'SITE_UNREACHABLE' } },
    })
    expect(await app.ask('GET', `/v1/sites/${id}`)).toMatchObject({ status: 200 })
    // WordPress never told which password it is.
    await app.database.prisma.site.update({ where: at(id), data: { passwordUuid: null } })
    expect(await app.ask('DELETE', `/v1/sites/${id}?revoke=true`)).toMatchObject({
      status: 409,
      body: { error: { code: 'PASSWORD_UNKNOWN' } },
    })
  })
})
