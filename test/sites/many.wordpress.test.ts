import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createApiKey } from '../../src/secrets/keyring.ts'
import { startTestGalley, type TestGalley } from '../support/galley.ts'
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
  (
    await galley.call<{ data: { id: string; name: string; checked: object | null }[] }>(
      'GET',
      `/v1/sites${query}`,
    )
  ).body.data

async function send(csv: string, query = '', type = 'text/csv') {
  const response = await fetch(`${galley.url}/v1/imports${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': type },
    body: csv,
  })
  const { id } = (await response.json()) as { id: string }
  const read = async () =>
    (await galley.call<{ data: { status: string; results: Line[] } }>('GET', `/v1/imports/${id}`)).body.data
  if (response.status === 202)
    await expect.poll(async () => (await read()).status, { interval: 250 }).toBe('done')
  const lines = response.status === 202 ? (await read()).results : []
  return { status: response.status, text: JSON.stringify(lines), lines }
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
    const { body } = await galley.call<{ data: { status: string } }>('GET', `/v1/bulk/${id}`)
    if (body.data.status === 'done') return body.data
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error(`the check ${id} did not end`)
}

describe('importing sites', () => {
  it('connects or refuses each line by itself, tells no password, and can be repeated', async () => {
    const id = randomUUID()
    const { status, text, lines } = await send(file(id))
    expect(status).toBe(202)
    expect(lines).toMatchObject([
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
    expect(await sites('?state=needs_owner')).toEqual([])
    expect(await sites('?state=working&state=unchecked')).toHaveLength(2)

    const again = await send(file(id))
    expect(again.lines.map(({ status }) => status)).toEqual([
      'skipped',
      'refused',
      'skipped',
      'skipped',
      'refused',
    ])
    const connected = lines.flatMap(({ id }) => id ?? [])
    const checked = async () => (await sites()).flatMap(({ id, checked }) => (checked ? [id] : []))
    await expect.poll(checked, { interval: 500 }).toEqual(expect.arrayContaining(connected))
  })

  it('stores nothing in a dry run, and says what would happen', async () => {
    const { lines } = await send(file(randomUUID()), '?dry_run=true')
    expect(lines.map(({ status }) => status)).toEqual([
      'would_connect',
      'refused',
      'would_connect',
      'skipped',
      'refused',
    ])
    expect(await sites()).toEqual([])
  })

  it('415-not-csv', async () => {
    expect(await send('{}', '', 'application/json')).toMatchObject({ status: 415 })
  })
})

describe('checking sites', () => {
  it('looks at every site with the label, shows how far it is, leaves nothing on the site, and tells a right that went away next time', async () => {
    const before = [await findPosts('search=galley'), await findMedia('search=galley')]
    const ids: string[] = []
    for (const [role, labels] of [
      ['editor', ['news']],
      ['contributor', ['news', 'other']],
      ['administrator', []],
    ] as const) {
      const { login: username, applicationPassword: application_password } = users[role]
      const requested = { url, username, application_password, labels }
      ids.push((await galley.call<{ id: string }>('POST', '/v1/sites?check=false', requested)).body.id)
    }
    const request = { action: 'check', filter: { label: 'news' } }
    const started = await galley.call<{ id: string }>('POST', '/v1/bulk', request)
    expect(started.status).toBe(202)
    expect(await finished(started.body.id)).toMatchObject({ matched: 2, done: 2 })
    expect(await problems(ids)).toEqual([])
    const contributor = await galley.call<{ data: { report: { findings: object[] } } }>(
      'GET',
      `/v1/sites/${ids[1]}`,
    )
    expect(contributor.body.data.report.findings).toContainEqual(
      expect.objectContaining({ check: 'right_to_publish', level: 'warning', changed: false }),
    )
    const unlabelled = await galley.call<{ data: { report: null } }>('GET', `/v1/sites/${ids[2]}`)
    expect(unlabelled.body.data.report).toBeNull()
    expect([await findPosts('search=galley'), await findMedia('search=galley')]).toEqual(before)

    const { login: username, applicationPassword: application_password } = users.author
    await galley.call('PATCH', `/v1/sites/${ids[0]}`, { username, application_password })
    const after = await galley.call<{ data: { findings: { check: string; changed: boolean }[] } }>(
      'POST',
      `/v1/sites/${ids[0]}/check`,
    )
    const news = after.body.data.findings.filter(({ changed }) => changed).map(({ check }) => check)
    expect(news).toEqual(['right_to_create_categories'])
  })
})
