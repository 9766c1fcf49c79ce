import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/wordpress/client/client.ts'
import { fetchCurrentUser } from '../../src/wordpress/discover/current-user.ts'
import { discover } from '../../src/wordpress/discover/discover.ts'
import { checkPrerequisites } from '../../src/wordpress/doctor/run-checks.ts'
import { misbehavingSite } from '../support/wordpress/index.ts'
import { errorOf } from './proxied.ts'
import { connectionAs, outbound } from './site.ts'

// What visitors were answered some time ago, a page cache may answer for hours: Galley asks what is so now.

const { username, applicationPassword } = connectionAs('editor')
const WRONG = 'abcd EFGH 1234 abcd EFGH 1234'

/** A site whose page cache keeps what a visitor saw at that path while another plugin was on as well. */
async function cachedSite(cache: string, path: string, then: string) {
  const caching = `${cache}:${randomUUID()}`
  const site = async (how: string) => {
    const { url, close } = await misbehavingSite(how)
    onTestFinished(close)
    return url
  }
  const before = await fetch((await site(`${caching},${then}`)) + path, { redirect: 'manual' })
  const seen = [before.status, await before.text()]
  const url = await site(caching)
  const kept = await fetch(url + path, { redirect: 'manual' })
  expect([kept.status, (await kept.text()).length > 0]).toEqual([seen[0], seen[1] !== ''])
  const clientWith = (password: string) =>
    createClient(
      { name: 'cached', restRoot: `${url}/wp-json/`, username, applicationPassword: password },
      outbound,
    )
  return { url, client: clientWith(applicationPassword), refused: clientWith(WRONG) }
}

describe.each(['caches-pages', 'caches-pages-unasked'])(
  'a page cache (%s) that still has the index',
  (cache) => {
    test('from when application passwords were off hides neither that they are on nor where to approve one', async () => {
      const { url, refused } = await cachedSite(cache, '/wp-json/', 'no-application-passwords')
      expect(await errorOf(fetchCurrentUser(refused))).toMatchObject({ code: 'not_logged_in' })
      const found = await discover(outbound, url)
      expect(found).toMatchObject({
        restRoot: `${url}/wp-json/`,
        authorizationUrl: `${url}/wp-admin/authorize-application.php`,
      })
    })

    test('from a time of maintenance is not taken for a closed REST API', async () => {
      const { client } = await cachedSite(cache, '/wp-json/', 'maintenance-for-visitors')
      const { findings } = await checkPrerequisites(client, Date.now())
      expect(findings.find(({ check }) => check === 'rest_api')).toMatchObject({
        seen: expect.stringContaining(`answers at ${client.site.restRoot}`),
      })
    })

    test('or the page of a user from a time of maintenance does not hide that there is one', async () => {
      const { refused } = await cachedSite(cache, `/?author_name=${username}`, 'maintenance-for-visitors')
      expect(await errorOf(fetchCurrentUser(refused))).toMatchObject({
        message: expect.stringContaining(`a user by the name “${username}”`),
      })
    })
  },
)

test('a page cache that goes by what it is asked shows the first page as it is now', async () => {
  const { client } = await cachedSite('caches-pages', '/', 'names-languages')
  const { prerequisites } = await checkPrerequisites(client, Date.now())
  expect(prerequisites?.frontPage).toContain('</head>')
  expect(prerequisites?.frontPage).not.toContain('fr-FR')
})
