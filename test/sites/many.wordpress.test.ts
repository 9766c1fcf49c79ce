import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createApiKey } from '../../src/secrets/index.ts'
import { generateSecretKey } from '../../src/secrets/keyring.ts'
import { freshDatabase } from '../support/database/fresh-database.ts'
import { startTestGalley, type TestGalley } from '../support/galley.ts'
import { startFaultProxy } from '../support/proxy/index.ts'
import { findMedia, findPosts, wordpress } from '../support/wordpress/index.ts'

const { url, users } = wordpress()
const key = createApiKey()
const wrong = 'abcd EFGH 1234 abcd EFGH 1234'

interface Line {
  line: number
  status: string
  id?: string
  error?: { code: string; message: string }
}

let galley: TestGalley
beforeAll(async () => {
  galley = await startTestGalley({ adminKey: key })
})
afterAll(() => galley.stop())
afterEach(async () => {
  for (const { id } of await sites()) await galley.call('DELETE', `/v1/sites/${id}`)
})

const sites = async (query = '') =>
  (await galley.call<{ data: { id: string; name: string }[] }>('GET', `/v1/sites${query}`)).body.data

async function send(csv: string, query = '', type = 'text/csv') {
  const response = await fetch(`${galley.url}/v1/sites/import${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': type },
    body: csv,
  })
  const text = await response.text()
  const body = JSON.parse(text) as { data: Line[]; check_id: string | null }
  return { status: response.status, text, body }
}

const file = (id: string) =>
  [
    'url,username,application_password,name,labels,id',
    `${url},${users.author.login},${users.author.applicationPassword},One,news;clients,${id}`,
    `${url},${users.contributor.login},${wrong},Two,clients,`,
    `${url},${users.editor.login},${users.editor.applicationPassword},Three,clients,`,
    `${url}/,${users.editor.login},${users.editor.applicationPassword},Three again,,`,
    `,${users.editor.login},${wrong},Four,,`,
  ].join('\n')

/** What the doctor calls a problem on these sites, in its words. */
async function problems(ids: string[]): Promise<object[]> {
  const reports = await Promise.all(
    ids.map((id) =>
      galley.call<{ data: { report: { findings: { level: string }[] } | null } }>('GET', `/v1/sites/${id}`),
    ),
  )
  return reports
    .flatMap(({ body }) => body.data.report?.findings ?? [])
    .filter(({ level }) => level === 'problem')
}

async function finished(id: string) {
  for (let tries = 0; tries < 240; tries += 1) {
    const { body } = await galley.call<{
      data: { status: string; counts: object; results: { site_id: string; status: string }[] }
    }>('GET', `/v1/sites/check/${id}`)
    if (body.data.status === 'done') return body.data
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error(`check ${id} did not end`)
}

describe('importing sites', () => {
  it('connects or refuses each line by itself, tells no password, and can be repeated', async () => {
    const id = randomUUID()
    const { status, text, body } = await send(file(id))
    expect(status).toBe(200)
    expect(body.data).toMatchObject([
      { line: 2, status: 'connected', id },
      { line: 3, status: 'refused', error: { code: 'NOT_LOGGED_IN' } },
      { line: 4, status: 'connected' },
      { line: 5, status: 'skipped', error: { message: 'Line 4 names the same site and user.' } },
      {
        line: 6,
        status: 'refused',
        error: { code: 'INVALID_REQUEST', message: expect.stringContaining('url') },
      },
    ])
    for (const secret of [wrong, users.author.applicationPassword, users.editor.applicationPassword])
      expect(text).not.toContain(secret)
    expect((await sites('?label=news')).map(({ name }) => name)).toEqual(['One'])
    expect(await sites('?label=clients')).toHaveLength(2)
    expect(await sites('?status=needs_owner')).toEqual([])
    expect(await sites('?status=connected')).toHaveLength(2)

    const again = await send(file(id))
    expect(again.body.data.map(({ status }) => status)).toEqual([
      'skipped',
      'refused',
      'skipped',
      'skipped',
      'refused',
    ])
    await finished(body.check_id as string)
  })

  it('stores nothing in a dry run, and says the same', async () => {
    const { body } = await send(file(randomUUID()), '?dry_run=true')
    expect(body.data.map(({ status }) => status)).toEqual([
      'connected',
      'refused',
      'connected',
      'skipped',
      'refused',
    ])
    expect(body.check_id).toBeNull()
    expect(await sites()).toEqual([])
  })

  it('415-not-csv', async () => {
    expect(await send('{}', '', 'application/json')).toMatchObject({ status: 415 })
  })
})

describe('checking sites', () => {
  it('looks at every site with the label, shows how far it is, and leaves nothing on the site', async () => {
    const before = [await findPosts('search=galley'), await findMedia('search=galley')]
    const ids: string[] = []
    for (const [role, labels] of [
      ['editor', ['news']],
      ['contributor', ['news', 'other']],
      ['author', []],
    ] as const) {
      const { login: username, applicationPassword: application_password } = users[role]
      const requested = { url, username, application_password, labels }
      ids.push((await galley.call<{ id: string }>('POST', '/v1/sites?check=false', requested)).body.id)
    }
    const started = await galley.call<{ data: { id: string; counts: object } }>('POST', '/v1/sites/check', {
      label: 'news',
    })
    expect(started.status).toBe(202)
    const { counts, results } = await finished(started.body.data.id)
    expect(await problems(ids)).toEqual([])
    expect(counts).toMatchObject({ waiting: 0, problem: 0, gone: 0 })
    expect(results.map(({ site_id }) => site_id)).toEqual(ids.slice(0, 2).sort())
    const contributor = await galley.call<{ data: { report: { findings: object[] } } }>(
      'GET',
      `/v1/sites/${ids[1]}`,
    )
    expect(contributor.body.data.report.findings).toContainEqual(
      expect.objectContaining({ check: 'right_to_publish', level: 'warning', changed: false }),
    )
    const author = await galley.call<{ data: { report: null } }>('GET', `/v1/sites/${ids[2]}`)
    expect(author.body.data.report).toBeNull()
    expect([await findPosts('search=galley'), await findMedia('search=galley')]).toEqual(before)
  })

  it('marks a right that went away since the last check as news', async () => {
    const connection = (role: 'editor' | 'contributor') => ({
      username: users[role].login,
      application_password: users[role].applicationPassword,
    })
    const { body } = await galley.call<{
      id: string
      data: { report: { findings: { check: string; changed: boolean }[] } }
    }>('POST', '/v1/sites', { url, ...connection('editor') })
    expect(body.data.report.findings.filter(({ changed }) => changed)).toEqual([])
    await galley.call('PATCH', `/v1/sites/${body.id}`, connection('contributor'))
    const after = await galley.call<{ data: { findings: { check: string; changed: boolean }[] } }>(
      'POST',
      `/v1/sites/${body.id}/check`,
    )
    const news = after.body.data.findings.filter(({ changed }) => changed).map(({ check }) => check)
    expect(news).toEqual(expect.arrayContaining(['right_to_publish', 'right_to_upload']))
  })
})

describe('a check whose process stops', () => {
  it('goes on in the next one, to the last site', async () => {
    const database = await freshDatabase()
    onTestFinished(() => database.drop())
    const lasting = { adminKey: key, secretKeys: generateSecretKey() }
    const first = await startTestGalley(lasting, database)
    const { login: username, applicationPassword: application_password } = users.author
    // one more than are looked at side by side
    for (let made = 0; made < 5; made += 1) {
      // Each at an address of its own: a site is connected once for a user.
      const proxy = await startFaultProxy(url, { rewriteUrls: true })
      onTestFinished(() => proxy.close())
      const requested = { url: proxy.url, username, application_password }
      expect(await first.call('POST', '/v1/sites?check=false', requested)).toMatchObject({ status: 201 })
    }
    const started = await first.call<{ data: { id: string } }>('POST', '/v1/sites/check', {})
    const path = `/v1/sites/check/${started.body.data.id}`
    await first.stop()

    const second = await startTestGalley(lasting, database)
    onTestFinished(() => second.stop())
    const between = await second.call<{ data: { status: string } }>('GET', path)
    expect(between.body.data).toMatchObject({ status: 'running' })
    await expect
      .poll(async () => (await second.call<{ data: object }>('GET', path)).body.data, {
        timeout: 120_000,
        interval: 500,
      })
      .toMatchObject({ status: 'done', counts: { waiting: 0, problem: 0, gone: 0 } })
  })
})
