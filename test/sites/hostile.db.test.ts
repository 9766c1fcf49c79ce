import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quickTiming } from '../faults/stage/timing.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { settled, startTestGalley, type TestGalley, webhookPath } from '../support/galley.ts'
import { lies } from '../support/hostile/lies.ts'
import { type HostileSite, type Json, startHostileSite } from '../support/hostile/site.ts'
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

/** Of all that is stored about sites, what would not be fit to be a link or to be read. */
async function unfit(): Promise<Json[]> {
  const { rows } = await pool.query(
    `SELECT name, url FROM site WHERE url !~ '^https?://' OR length(name) > 200 OR length(url) > 2000`,
  )
  return rows
}

/** What is asked before anything is stored, and what the doctor asks: many requests, so that the lies take turns there. */
const BEFORE = ['page', 'index', 'users/me', 'introspect']
const DOCTOR = [['types'], ['posts'], ['posts/id'], ['media', 'plugins']]

describe('a site that is connected and checked', () => {
  for (const [number, [name, lie]] of Object.entries(lies).entries()) {
    it(`is connected or refused in words, answering with ${name}`, async () => {
      const expectWords = async (routes: string[], check: boolean) => {
        site.lie(Object.fromEntries(routes.map((route) => [route, lie])))
        const { status, body } = await register(check)
        expect([201, 422], `${routes}: ${JSON.stringify(body).slice(0, 500)}`).toContain(status)
        if (status === 422) expect(body.error.message.length).toBeLessThan(2500)
      }
      for (const route of BEFORE) await expectWords([route], false)
      await expectWords(DOCTOR[number % DOCTOR.length] ?? [], true)
      expect(await unfit()).toEqual([])
    })
  }

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
  const poisoned = 'Poisoned'
  /** The answers about one document, and no other's. */
  const aboutOne = (lie: (answer: Json) => Json) => (answer: Json, request: { body: string }) =>
    JSON.stringify(answer).includes(poisoned) || request.body.includes(poisoned) ? lie(answer) : answer

  for (const [name, lie] of Object.entries(lies)) {
    it(`takes the other documents, answering of one with ${name}`, async () => {
      site.lie({})
      const { body } = await register(false)
      const webhook = await webhookPath(galley)
      site.lie({ posts: aboutOne(lie), 'posts/id': aboutOne(lie) })
      const send = (title: string) => {
        const document = completed({ siteId: body.id, title })
        return galley.call('POST', webhook, document).then(() => document.id)
      }
      const hostile = await send(poisoned)
      const honest = [await send('First'), await send('Second')]
      for (const id of honest) expect(await settled(galley, id)).toMatchObject({ status: 'delivered' })
      const { rows } = await pool.query('SELECT status, error FROM delivery WHERE document_id = $1', [
        hostile,
      ])
      expect(rows[0].error?.code ?? 'none').not.toBe('internal_error')
      site.lie({})
      expect((await settled(galley, hostile)).status).toMatch(/delivered|held|failed/)
    })
  }

  it('is delivered to with a link that is none: the post is where its number leads', async () => {
    site.lie({})
    const { body } = await register(false)
    for (const link of ['javascript:alert(1)', 'not a url', 7, null]) {
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
