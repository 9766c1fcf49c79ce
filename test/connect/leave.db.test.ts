import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { isReconnection } from '../../src/connect/links.ts'
import { startApp, type TestApp } from '../http/app.ts'
import { type HostileSite, RawResponse, startHostileSite } from '../support/hostile-site.ts'
import { Visitor, wordsOf } from './visitor.ts'

const password = 'abcdEFGH1234abcdEFGH1234'
let app: TestApp
let site: HostileSite
beforeAll(async () => {
  app = await startApp()
  site = await startHostileSite()
})
afterAll(async () => {
  await app.stop()
  await site.close()
})
afterEach(async () => {
  site.lie({})
  site.received.length = 0
  await app.database.prisma.site.deleteMany()
})

/** A link, opened in a browser, and where WordPress sends that browser back to. */
async function opened(requested: object = {}, key = app.owner.key) {
  site.lie({})
  const made = await app.ask('POST', '/v1/connect-links', { body: { url: site.url, ...requested }, key })
  const address = app.url + new URL(made.body.data.link).pathname
  const visitor = new Visitor()
  const page = await visitor.request(address)
  const back = /success_url=([^&]*)/.exec(page.html.replaceAll('&amp;', '&'))?.[1] ?? ''
  const state = new URL(decodeURIComponent(back)).searchParams.get('state') ?? ''
  const approved = (answer: Record<string, string> = {}) =>
    `${address}/approved?${new URLSearchParams({ state, site_url: site.url, user_login: 'ed', password, ...answer })}`
  /** Follows the first redirect at this address: the links name Galley by its PUBLIC_URL. */
  const follow = (location: string | null) => {
    const { pathname, search } = new URL(String(location))
    return visitor.request(app.url + pathname + search)
  }
  return { id: made.body.id as string, address, visitor, approved, follow }
}

const revoked = () =>
  site.received.filter(({ method, route }) => method === 'DELETE' && route.includes('application-passwords'))

describe('the address that WordPress sends the owner back to', () => {
  it('is left, whatever it says itself', async () => {
    const { visitor, approved, address } = await opened()
    const answers: Record<string, string>[] = [
      { user_login: 'e\0d' },
      { password: 'x'.repeat(1000) },
      { user_login: '' },
      { state: 'wrong' },
      { site_url: 'javascript:alert(1)' },
      { site_url: '\0' },
    ]
    for (const answer of answers) {
      const { status, location } = await visitor.request(approved(answer))
      expect(status, JSON.stringify(answer)).toBe(303)
      expect(location).not.toMatch(/password|abcdEFGH/)
    }
    const odd = await visitor.request(
      `${address}/approved?password[]=${password}&user_login=ed&user_login=eve`,
    )
    expect(odd).toMatchObject({ status: 303 })
  })

  it('is left after too many tries, and the page says what to do about the password', async () => {
    const { visitor, approved, follow } = await opened()
    let last = await visitor.request(approved({ state: 'wrong' }))
    for (let count = 0; count < 11; count += 1) last = await visitor.request(approved({ state: 'wrong' }))
    expect(last.status).toBe(303)
    expect(last.location).toMatch(/\/failed\?left_over=1$/)
    expect(wordsOf(await follow(last.location))).toMatch(/could not be finished.*Application Passwords/)
  })

  it('is left where Galley itself fails, and the password is taken back', async () => {
    const { visitor, approved, follow } = await opened()
    await app.database.pool.query(
      `CREATE FUNCTION fail() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$ LANGUAGE plpgsql;
       CREATE TRIGGER fail BEFORE INSERT ON site FOR EACH ROW EXECUTE FUNCTION fail()`,
    )
    const { status, location } = await visitor.request(approved())
    await app.database.pool.query('DROP TRIGGER fail ON site; DROP FUNCTION fail')
    expect(status).toBe(303)
    expect(location).toMatch(/\/failed$/)
    expect(revoked()).toHaveLength(1)
    expect(wordsOf(await follow(location))).not.toContain('Application Passwords')
  })

  it('is left where the password cannot be taken back, and the page says how to delete it', async () => {
    const { visitor, approved, follow } = await opened()
    site.lie({
      'users/me': () => new RawResponse(500, '{"code":"internal_server_error","message":"no"}'),
      introspect: () => new RawResponse(404, '{"code":"rest_no_route","message":"no"}'),
    })
    const { status, location } = await visitor.request(approved())
    expect(status).toBe(303)
    site.lie({})
    expect(wordsOf(await follow(location))).toMatch(/not connected yet.*Application Passwords/)
  })

  it('is left where the check of the new site cannot be started: it is connected', async () => {
    const { visitor, approved } = await opened()
    await app.database.pool.query('ALTER FUNCTION graphile_worker.add_jobs RENAME TO add_jobs_away')
    const { location } = await visitor.request(approved())
    await app.database.pool.query('ALTER FUNCTION graphile_worker.add_jobs_away RENAME TO add_jobs')
    expect(location).toMatch(/\/connected\?state=/)
    expect(revoked()).toEqual([])
  })

  it('takes back the password of a user who may not write', async () => {
    const { visitor, approved, follow } = await opened()
    site.lie({
      'users/me': (user) => ({ ...user, roles: ['subscriber'], capabilities: { read: true } }),
      types: () => new RawResponse(403, '{"code":"rest_cannot_view","message":"No."}'),
    })
    const { location } = await visitor.request(approved())
    expect(revoked()).toHaveLength(1)
    site.lie({})
    expect(wordsOf(await follow(location))).toContain('subscriber')
    expect(await app.database.prisma.site.count()).toBe(0)
  })
})

describe('an answer that comes twice', () => {
  /** Holds the site's answers of a kind back until they are let go. */
  function held() {
    let release = () => {}
    const free = new Promise<void>((resolve) => {
      release = resolve
    })
    let reached = () => {}
    const asked = new Promise<void>((resolve) => {
      reached = resolve
    })
    const hold = async (answer: unknown) => {
      reached()
      await free
      return answer
    }
    return { hold, asked, release }
  }

  it('connects nothing with a password that the other one has revoked', async () => {
    const { visitor, approved, follow } = await opened()
    const { hold, asked, release } = held()
    site.lie({ introspect: hold })
    const slow = visitor.request(approved())
    await asked
    site.lie({ 'users/me': () => new RawResponse(500, '{"code":"internal_server_error","message":"no"}') })
    await visitor.request(approved())
    expect(revoked()).toHaveLength(1)
    // As WordPress answers a password that is gone.
    site.lie({ introspect: () => new RawResponse(401, '{"code":"rest_not_logged_in","message":"no"}') })
    release()
    const { location } = await slow
    expect(await app.database.prisma.site.count()).toBe(0)
    expect(location).not.toContain('left_over')
    site.lie({})
    expect(wordsOf(await follow(location))).toMatch(/approval reached Galley twice.*approve once more/)
    // WordPress makes another password for the next one.
    const again = await visitor.request(approved({ password: password.toLowerCase() }))
    expect(again.location).toMatch(/\/connected\?state=/)
  })

  it('leaves the password alone that a site has, though WordPress did not say which one it was', async () => {
    const { visitor, approved } = await opened()
    site.lie({ introspect: () => new RawResponse(404, '{"code":"rest_no_route","message":"no"}') })
    expect((await visitor.request(approved())).location).toMatch(/\/connected\?state=/)
    site.lie({})
    await visitor.request(approved())
    expect(revoked()).toEqual([])
  })

  it('says that the link was withdrawn, not used, where it was withdrawn meanwhile', async () => {
    const { id, visitor, approved, follow } = await opened()
    const { hold, asked, release } = held()
    site.lie({ introspect: hold })
    const answer = visitor.request(approved())
    await asked
    await app.ask('DELETE', `/v1/connect-links/${id}`)
    site.lie({})
    release()
    await answer
    expect((await app.ask('GET', `/v1/connect-links/${id}`)).body.data.problem.code).toBe(
      'CONNECT_LINK_REVOKED',
    )
    expect(wordsOf(await follow((await answer).location))).toContain('withdrawn')
  })
})

describe('a link for a site that is connected already', () => {
  it('connects it again, under the id and with the settings that it has', async () => {
    const body = {
      url: site.url,
      username: 'ED',
      application_password: 'an older one',
      name: 'Mine',
      concurrency: 3,
    }
    const { id } = (await app.ask('POST', '/v1/sites?check=false', { body })).body
    for (const requested of [{}, { id }]) {
      const { visitor, approved } = await opened(requested)
      expect((await visitor.request(approved())).location).toMatch(/\/connected\?state=/)
      const site = (await app.ask('GET', `/v1/sites/${id}`)).body.data
      expect(site).toMatchObject({ id, name: 'Mine', settings: { concurrency: 3 } })
    }
  })

  it.each([
    [{ author: 'Ed' }, { author: 'Ed' }, null],
    [{ author: 'Nobody' }, { author: null }, 'settings.author'],
    [{ author: 'Ed', post_type: 'recipes' }, { author: 'Ed', post_type: 'recipes' }, 'settings.post_type'],
  ])('with the settings %o shows no author that no post gets', async (settings, shown, problem) => {
    const { id: link, visitor, approved } = await opened({ settings })
    expect((await visitor.request(approved())).location).toMatch(/\/connected\?state=/)
    const { data } = (await app.ask('GET', `/v1/connect-links/${link}`)).body
    expect(data.problem?.message ?? null).toEqual(problem && expect.stringContaining(problem))
    const site = (await app.ask('GET', `/v1/sites/${data.site_id}`)).body.data
    expect(site.settings).toMatchObject(shown)
    const row = await app.database.prisma.site.findFirstOrThrow({ where: { id: data.site_id } })
    expect(row.authorId !== null).toBe(shown.author !== null)
  })

  it('leaves one alone that the key which made the link does not see', async () => {
    const body = { url: site.url, username: 'ed', application_password: password, labels: ['sport'] }
    const { id } = (await app.ask('POST', '/v1/sites?check=false', { body })).body
    const limited = { name: 'News', role: 'manager', labels: ['news'] }
    const { key } = (await app.ask('POST', '/v1/keys', { body: limited })).body.data
    const { id: link, visitor, approved } = await opened({ labels: ['news'] }, key)
    expect((await visitor.request(approved())).location).not.toMatch(/\/connected/)
    expect((await app.ask('GET', `/v1/connect-links/${link}`, { key })).body.data.problem).toMatchObject({
      code: 'SITE_CONNECTED_ALREADY',
    })
    expect((await app.ask('GET', `/v1/sites/${id}`)).body.data.labels).toEqual(['sport'])
  })

  it('409-site-id-taken, where another site has the id', async () => {
    const other = await startHostileSite()
    const body = { url: other.url, username: 'ed', application_password: password }
    const { id } = (await app.ask('POST', '/v1/sites?check=false', { body })).body
    const answer = await app.ask('POST', '/v1/connect-links', { body: { url: site.url, id } })
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'SITE_ID_TAKEN' } } })
    await other.close()
  })

  it('takes a site that moved to https for the same one, and the way back for another', async () => {
    const body = { url: site.url, username: 'ed', application_password: password }
    const { id } = (await app.ask('POST', '/v1/sites?check=false', { body })).body
    const connected = { accountId: app.owner.id, id }
    const secure = `${site.url.replace('http:', 'https:')}/wp-json/`
    const { prisma } = app.database
    expect(await isReconnection(prisma, connected, secure)).toBe(true)
    await prisma.site.update({ where: { accountId_id: connected }, data: { restRoot: secure } })
    const back = isReconnection(prisma, connected, `${site.url}/wp-json/`)
    await expect(back).rejects.toMatchObject({ code: 'SITE_ID_TAKEN' })
  })

  it('sends the password nowhere but to the site that the link was made for', async () => {
    const thief = await startHostileSite()
    const { visitor, approved, follow } = await opened()
    site.lie({ page: () => new RawResponse(302, '', { location: `${thief.url}/` }) })
    const { location } = await visitor.request(approved())
    site.lie({})
    expect(wordsOf(await follow(location))).toMatch(/leads to a REST API.*Application Passwords/)
    expect(thief.received.filter(({ authorization }) => authorization !== undefined)).toEqual([])
    await thief.close()
  })

  it('says where the owner is sent to approve, if that is another host', async () => {
    const made = await app.ask('POST', '/v1/connect-links', { body: { url: site.url } })
    site.lie({
      index: (index) => ({
        ...index,
        authentication: {
          'application-passwords': { endpoints: { authorization: 'https://bank.example/authorize' } },
        },
      }),
    })
    const page = await new Visitor().request(app.url + new URL(made.body.data.link).pathname)
    expect(wordsOf(page)).toMatch(/approve at bank\.example.*another address.*Continue to bank\.example/)
  })
})
