import { describe, expect, it } from 'vitest'
import { checkPrerequisites } from '../../../src/wordpress/doctor/run-checks.ts'
import {
  answer,
  type Fault,
  type Match,
  type ProxiedRequest,
  pages,
  redirectTo,
  restError,
  withoutHeaders,
  wrapped,
} from '../../support/proxy/index.ts'
import { wordpress } from '../../support/wordpress/index.ts'
import { through } from '../proxied.ts'
import { clientAs } from '../site.ts'
import { line } from './lines.ts'

/** What is found with this fault between the doctor and the site. */
async function groundThrough(fault: Fault, match: Match = {}) {
  const { client } = await through(fault, { match, rewriteUrls: true })
  return checkPrerequisites(client, Date.now())
}

describe('the connection', () => {
  it('is a problem where the server is down, and nothing else is asked', async () => {
    const { client, proxy } = await through(answer(pages.blank))
    await proxy.pause()
    const { findings, prerequisites } = await checkPrerequisites(client, Date.now())
    expect(findings).toMatchObject([
      { check: 'connection', level: 'problem', seen: expect.stringContaining('does not accept connections') },
    ])
    expect(prerequisites).toBeNull()
  })

  it('is a problem where it redirects, and the report names where to connect instead', async () => {
    const { findings, prerequisites } = await groundThrough({
      name: 'redirected with its query',
      apply: ({ request, reply }) => reply(redirectTo(`https://www.blog.example${request.url}`)),
    })
    expect(line(findings, 'redirects')).toMatchObject({
      level: 'problem',
      seen: expect.stringMatching(/ redirects its REST API to https:\/\/www\.blog\.example\/wp-json\/,/),
    })
    expect(prerequisites).toBeNull()
  })

  it('is not to be made to the login of WordPress, where a login is refused by a redirect to that', async () => {
    const { findings, prerequisites } = await groundThrough(
      answer(redirectTo('https://blog.example/wp-login.php?redirect_to=%2Fwp-json%2F', 302)),
    )
    expect(line(findings, 'redirects')?.level).toBe('ok')
    expect(line(findings, 'rest_api')).toMatchObject({
      level: 'problem',
      todo: expect.stringContaining('check the username and the application password'),
    })
    expect(prerequisites).toBeNull()
  })

  it('gets a warning where it is not encrypted', async () => {
    const { findings } = await checkPrerequisites(clientAs('author'), Date.now())
    expect(line(findings, 'encryption')?.level).toBe('warning')
  })
})

describe('the REST API', () => {
  it('is a problem where a parking page stands in its place', async () => {
    const { findings, prerequisites } = await groundThrough(answer(pages.parking))
    expect(line(findings, 'rest_api')).toMatchObject({
      level: 'problem',
      seen: expect.stringContaining('domain parking page'),
    })
    expect(prerequisites).toBeNull()
  })

  it('gets a warning where something is printed around its JSON', async () => {
    const { findings } = await groundThrough(wrapped('a notice', '<b>Warning</b>: x in y.php on line 3\n'))
    expect(line(findings, 'rest_api')).toMatchObject({
      level: 'warning',
      seen: expect.stringContaining('<b>Warning</b>: x in y.php'),
    })
  })

  it('is fine where it is open to logged-in users alone', async () => {
    const { findings, prerequisites } = await groundThrough(
      answer(restError(401, 'rest_login_required', 'Only members.')),
      {
        where: ({ headers }) => headers.authorization === undefined,
      },
    )
    expect(line(findings, 'rest_api')?.level).toBe('ok')
    expect(prerequisites?.user.roles).toEqual(['author'])
  })
})

describe('the credentials', () => {
  it('are a problem where their header is removed on the way, one of the reasons that are named', async () => {
    const { findings, prerequisites } = await groundThrough(withoutHeaders('authorization'))
    expect(line(findings, 'credentials')).toMatchObject({
      level: 'problem',
      seen: expect.stringContaining('treats Galley as a visitor'),
      todo: expect.stringContaining('removes the Authorization header'),
    })
    expect(prerequisites).toBeNull()
  })

  it('are not blamed for a firewall', async () => {
    const { findings } = await groundThrough(answer(pages.wordfence), { path: '/wp/v2/users/me' })
    expect(line(findings, 'credentials')?.seen).toContain('Wordfence')
  })
})

describe('the clock of the site', () => {
  for (const [minutes, seen] of [
    [10, '10 minutes behind'],
    [-10, '10 minutes ahead'],
    [119, '119 minutes behind'],
    [-180, '3 hours ahead'],
    [365 * 24 * 60, '365 days behind'],
  ] as const) {
    it(`is seen to be ${seen}`, async () => {
      const { findings } = await checkPrerequisites(clientAs('author'), Date.now() + minutes * 60_000)
      expect(line(findings, 'clock')).toMatchObject({ level: 'warning', seen: expect.stringContaining(seen) })
    })
  }

  it('is fine where it agrees with ours', async () => {
    const { findings } = await checkPrerequisites(clientAs('author'), Date.now())
    expect(line(findings, 'clock')?.level).toBe('ok')
  })
})

describe('the version of WordPress', () => {
  const homePage = (version: string) =>
    answer({
      ...pages.homePage,
      body: Buffer.from(`<head><meta name="generator" content="WordPress ${version}" /></head>`),
    })
  const isHome = ({ url }: ProxiedRequest) => url === '/'
  for (const [version, level, seen] of [
    ['5.4.2', 'warning', 'older than 6.1'],
    ['6.8.1', 'ok', 'WordPress 6.8.1'],
    ['12.0', 'ok', 'WordPress 12.0'],
  ] as const) {
    it(`${version} is ${level}: ${seen}`, async () => {
      const { findings } = await groundThrough(homePage(version), { where: isHome })
      expect(line(findings, 'version')).toMatchObject({ level, seen: expect.stringContaining(seen) })
    })
  }

  it('may be hidden', async () => {
    const { findings, prerequisites } = await groundThrough(answer(pages.notFound), {
      where: ({ url }) => !url.includes('wp-json'),
    })
    // The editor has formulas since 6.9, and the users' filter of markup takes them out before.
    const hasFormulas = Number.parseFloat(wordpress().version) > 6.8
    expect(prerequisites?.wordpressVersion).toBe(hasFormulas ? null : '6.8')
    expect(line(findings, 'version')).toMatchObject({
      level: 'ok',
      seen: expect.stringContaining('does not reveal'),
    })
  })
})
