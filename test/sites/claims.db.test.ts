import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quickTiming } from '../faults/stage/timing.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { settled, startTestGalley, type TestGalley, webhookPath } from '../support/galley.ts'
import { type HostileSite, type Json, startHostileSite } from '../support/hostile-site.ts'
import { completed } from '../support/webhooks.ts'

const password = 'abcd EFGH 1234 abcd EFGH 1234'
let database: FreshDatabase
let galley: TestGalley
let site: HostileSite
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  galley = await startTestGalley({ requestsPerMinute: 0 }, database, { ...quickTiming, firstPauseMs: 20 })
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
  site = await startHostileSite()
})
afterAll(async () => {
  await galley.stop()
  await site.close()
  await pool.end()
  await database.drop()
})

let users = 0
const register = (check = true) =>
  galley.call<Json>('POST', `/v1/sites?check=${check}`, {
    url: site.url,
    username: `ed${++users}`,
    application_password: password,
  })

describe('a site that is connected and checked', () => {
  it('is called by the address where it was reached, with a warning, if it claims another', async () => {
    site.lie({ index: (index) => ({ ...index, home: 'https://bank.example' }) })
    const { status, body } = await register()
    expect(status).toBe(201)
    expect(body.data.url).toBe(site.url)
    expect(body.data.report.findings).toContainEqual(
      expect.objectContaining({
        check: 'address',
        level: 'warning',
        seen: expect.stringContaining('https://bank.example'),
      }),
    )
  })

  it('has a report that can be read, whatever a user’s roles are called', async () => {
    const roles = Array.from({ length: 100 }, (_, n) => `${n} ${'r'.repeat(195)}`)
    site.lie({ 'users/me': (user) => ({ ...user, roles }) })
    const { status, body } = await register()
    expect(status).toBe(201)
    const said: string[] = body.data.report.findings.flatMap(({ seen, means, todo }: Json) => [
      seen,
      means,
      todo ?? '',
    ])
    expect(said.some((text) => text.includes(roles[0] as string))).toBe(true)
    expect(Math.max(...said.map((text) => text.length))).toBeLessThanOrEqual(5_001)
  })

  it('keeps its own folder, and is no other site for www. or http', async () => {
    site.lie({ index: (index) => ({ ...index, home: `${site.url}/blog/` }) })
    const { body } = await register()
    expect(body.data.url).toBe(`${site.url}/blog`)
    expect(body.data.report.findings).toContainEqual(
      expect.objectContaining({ check: 'address', level: 'ok' }),
    )
  })
})

describe('a site that documents are delivered to', () => {
  it('is delivered to with a link that is none: the post is where its number leads', async () => {
    site.lie({})
    const { body } = await register(false)
    for (const link of ['javascript:alert(1)', 'not a url', null]) {
      const lie = (post: Json) => ({ ...post, link })
      site.lie({
        posts: (answer) => (Array.isArray(answer) ? answer.map(lie) : lie(answer)),
        'posts/id': lie,
      })
      const document = completed({ siteId: body.id })
      await galley.call('POST', await webhookPath(galley), document)
      const { status, post } = await settled(galley, document.id)
      expect(status).toBe('delivered')
      expect(post?.url).toBe(`${site.url}/?p=${post?.id}`)
    }
  })

  it('gets a warning on the delivery for a post that it says is on another host', async () => {
    site.lie({})
    const { body } = await register(false)
    site.lie({ 'posts/id': (post) => ({ ...post, link: 'https://bank.example/a-post/' }) })
    const document = completed({ siteId: body.id })
    await galley.call('POST', await webhookPath(galley), document)
    const { status, warnings } = await settled(galley, document.id)
    expect(status).toBe('delivered')
    expect(warnings).toContainEqual(
      expect.objectContaining({
        code: 'post_address_elsewhere',
        message: expect.stringContaining('https://bank.example/a-post/'),
      }),
    )
  })
})
