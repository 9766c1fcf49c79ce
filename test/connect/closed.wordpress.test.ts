import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startTestGalley, type TestGalley } from '../support/galley.ts'
import { type Fault, startFaultProxy } from '../support/proxy/index.ts'
import { type MisbehavingSite, misbehavingSite, wordpress } from '../support/wordpress/index.ts'
import { inputOf, linkOf, type Visited, Visitor, wordsOf } from './visitor.ts'
import { logIn, press } from './wordpress-login.ts'

// Sites that plugins close to visitors: whoever signs in is let in, and so is Galley.

const owner = wordpress().users.editor

let galley: TestGalley
beforeAll(async () => {
  galley = await startTestGalley()
})
afterAll(() => galley.stop())

interface Finding {
  check: string
  level: string
  seen: string
}

async function closedBy(how: string): Promise<MisbehavingSite> {
  const site = await misbehavingSite(how)
  onTestFinished(() => site.close())
  return site
}

const register = (site: MisbehavingSite, password = owner.applicationPassword) =>
  galley.call<{ id: string; error: { code: string; message: string } }>('POST', '/v1/sites?check=false', {
    url: site.url,
    username: owner.login,
    application_password: password,
  })

/** The page of a new link. */
async function linkTo(site: Pick<MisbehavingSite, 'url'>, visitor: Visitor): Promise<Visited> {
  const { status, body } = await galley.call<{ data: { link: string } }>('POST', '/v1/connect-links', {
    url: site.url,
  })
  expect(status).toBe(201)
  return visitor.open(body.data.link)
}

// test/delivery/together.wordpress.test.ts has the others examined, all at once.
describe.each(['maintenance-for-visitors', 'rest-behind-login'])('a site whose plugin %s', (how) => {
  it('is connected with a password, and the doctor finds nothing in the way', async () => {
    const { status, body } = await register(await closedBy(how))
    expect(status).toBe(201)
    onTestFinished(async () => {
      await galley.call('DELETE', `/v1/sites/${body.id}`)
    })
    const checked = await galley.call<{ data: { level: string; findings: Finding[] } }>(
      'POST',
      `/v1/sites/${body.id}/check`,
    )
    const { findings } = checked.body.data
    expect(findings.filter(({ level }) => level === 'problem')).toEqual([])
    const [restApi, address, seo] = ['rest_api', 'address', 'seo'].map((name) =>
      findings.find(({ check }) => check === name),
    )
    expect(restApi?.seen).toContain('answers logged-in users alone')
    // Only the index says how a site calls itself, and which plugins are there: it was read by a user.
    expect(address?.level).toBe('ok')
    expect(seo?.seen).not.toContain('hides the index')
    // The first page is read as a visitor reads it.
    const unseen = how === 'maintenance-for-visitors'
    expect(seo?.seen.includes('visitors are not shown the first page')).toBe(unseen)
    const language = findings.find(({ check }) => check === 'language')
    expect(language?.seen.includes('cannot tell whether the site has several') ?? false).toBe(unseen)
  })
})

describe.each(['maintenance-for-visitors', 'forces-login', 'closes-index-and-users', 'rest-behind-login'])(
  'a site whose plugin %s',
  (how) => {
    it('refuses a wrong password without advice that is none', async () => {
      const { status, body } = await register(await closedBy(how), 'abcd EFGH 1234 abcd EFGH 1234')
      expect(status).toBe(422)
      expect(body.error.message).not.toContain('.maintenance')
      expect(body.error.message).toMatch(/password|logged-in users/)
    })
  },
)

describe('a site whose plugin shows no users', () => {
  it('is connected with a password, and the doctor says what cannot be told', async () => {
    const { status, body } = await register(await closedBy('removes-users'))
    expect(status).toBe(201)
    onTestFinished(async () => {
      await galley.call('DELETE', `/v1/sites/${body.id}`)
    })
    const checked = await galley.call<{ data: { findings: Finding[] } }>('POST', `/v1/sites/${body.id}/check`)
    const { findings } = checked.body.data
    expect(findings.filter(({ level }) => level === 'problem')).toEqual([])
    expect(findings.find(({ check }) => check === 'credentials')?.seen).toContain('the role cannot be told')
    expect(findings.find(({ check }) => check === 'right_to_publish')?.level).toBe('ok')
  })

  it.each(['blocks-users', 'removes-users'])('refuses a wrong password as one (%s)', async (how) => {
    const { status, body } = await register(await closedBy(how), 'abcd EFGH 1234 abcd EFGH 1234')
    expect(status).toBe(422)
    expect(body.error.code).toBe('NOT_LOGGED_IN')
  })
})

describe('a site whose plugin lets nobody in', () => {
  it('that refuses before anybody is known is refused with what to switch off', async () => {
    const { status, body } = await register(await closedBy('dies-for-visitors'))
    expect(status).toBe(422)
    expect(body.error).toMatchObject({
      code: 'VISITORS_REFUSED',
      message: expect.stringContaining('“Disallow unauthorized REST requests”'),
    })
  })

  it('that takes tokens of its own alone is refused in its words, and no firewall is blamed', async () => {
    const { status, body } = await register(await closedBy('own-tokens-only'))
    expect(status).toBe(422)
    expect(body.error).toMatchObject({
      code: 'REST_API_DISABLED',
      message: expect.stringContaining('“Sorry, no access to this REST API”'),
    })
  })

  it('that has no application passwords for this user is refused without a word of revoking', async () => {
    const { status, body } = await register(await closedBy('none-for-this-user'))
    expect(status).toBe(422)
    expect(body.error.message).toMatch(/application passwords are switched off for this user/)
    expect(body.error.message).not.toContain('revoked')
  })
})

describe.each(['forces-login', 'closes-index-and-users'])(
  'a connect link to a site whose plugin %s',
  (how) => {
    it('leads to the approval, and from there back', async () => {
      const site = await closedBy(how)
      const visitor = new Visitor()
      await logIn(visitor, site.url, owner)
      const question = await linkTo(site, visitor)
      expect(inputOf(question, 'state')).toMatch(/^[0-9a-f]{64}$/)
      expect(wordsOf(question)).not.toContain('Log in to WordPress first')
      const back = await press(visitor, await visitor.open(linkOf(question, 'button')), 'approve')
      const sentOn = await visitor.request(back)
      expect(wordsOf(await visitor.open(sentOn.location as string))).toContain('is connected')
      const { body } = await galley.call<{ data: { id: string }[] }>('GET', '/v1/sites')
      for (const { id } of body.data) await galley.call('DELETE', `/v1/sites/${id}?revoke=true`)
    })
  },
)

/** Its own files are below /wp; what is asked for beside them is no page of it. */
const inOwnFolder: Fault = {
  name: 'WordPress in a folder of its own',
  async apply({ request: { url }, forward, reply }) {
    const own = /^\/wp(\/.*)/.exec(url)?.[1]
    // WordPress itself leads from both to its login (`wp_redirect_admin_locations`).
    const elsewhere = url.startsWith('/wp-login.php')
      ? '/login'
      : url.startsWith('/wp-admin')
        ? '/nowhere/'
        : url
    reply(await forward({ url: own ?? elsewhere }))
  },
}

describe('a connect link to a WordPress in a folder of its own that closes its index', () => {
  it('leads to the approval there', async () => {
    const site = await closedBy('own-folder,closes-index-and-users')
    const proxy = await startFaultProxy(site.url, { rewriteUrls: true })
    onTestFinished(() => proxy.close())
    proxy.rule({}, inOwnFolder)
    const question = await linkTo(proxy, new Visitor())
    const { pathname } = new URL(linkOf(question, 'button'))
    expect(pathname).toBe('/wp/wp-admin/authorize-application.php')
    expect(wordsOf(question)).not.toContain('Log in to WordPress first')
  })
})

describe('a connect link to a site that hides its login page', () => {
  it('says to log in first, and offers the form', async () => {
    const site = await closedBy('hides-login')
    const page = await linkTo(site, new Visitor())
    expect((await new Visitor().open(linkOf(page, 'button'))).status).toBe(404)
    expect(wordsOf(page)).toMatch(
      /shows visitors no login page.*Log in to WordPress first.*or enter an application password/,
    )
    expect(page.html).toMatch(/<details open>/)
  })
})
