import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/wordpress/client/client.ts'
import { fetchCurrentUser } from '../../src/wordpress/discover/current-user.ts'
import { discover } from '../../src/wordpress/discover/discover.ts'
import { deletePost } from '../../src/wordpress/posts/find.ts'
import { reservePost } from '../../src/wordpress/posts/write.ts'
import { answer, pages } from '../support/proxy/index.ts'
import { errorOf, through } from './proxied.ts'
import { clientAs, connectionAs, outbound, unique, wordpress } from './site.ts'

const { url, users } = wordpress()
const { host } = new URL(url)

describe('discovering a site', () => {
  const forms = [
    host,
    url,
    `  ${url}/  `,
    `${url}/wp-admin`,
    `${url}/wp-admin/edit.php?post_type=post`,
    `${url}/wp-login.php`,
    `${url}/wp-json`,
    `${url}/wp-json/wp/v2/posts`,
    `${url}/2026/01/01/no-such-post/`,
    `${url}/?rest_route=/`,
  ]
  for (const typed of forms) {
    it(`finds the REST root from “${typed.replace(host, 'HOST')}”`, async () => {
      expect(await discover(outbound, typed)).toMatchObject({
        restRoot: `${url}/wp-json/`,
        name: expect.stringMatching(/./),
        authorizationUrl: `${url}/wp-admin/authorize-application.php`,
      })
    })
  }

  it('finds the root from the address of a real post', async () => {
    const client = clientAs('author')
    const post = await reservePost(client, { postType: 'posts', title: 'Here', marker: unique('galley') })
    expect(await discover(outbound, String(post.link))).toMatchObject({ restRoot: `${url}/wp-json/` })
    await deletePost(client, { postType: 'posts', id: post.id })
  })

  it('asks for an address where none was typed', async () => {
    await expect(discover(outbound, 'not an address')).rejects.toMatchObject({ code: 'address_invalid' })
  })
})

describe('proving the credentials', () => {
  for (const role of ['administrator', 'editor', 'author', 'contributor', 'subscriber'] as const) {
    it(`reads the rights of ${role}`, async () => {
      const user = await fetchCurrentUser(clientAs(role))
      expect(user.roles).toEqual([role])
      expect(user.capabilities.publish_posts ?? false).toBe(
        ['administrator', 'editor', 'author'].includes(role),
      )
    })
  }

  const wrong = [
    [
      'not_logged_in',
      { applicationPassword: 'abcd EFGH 1234 abcd EFGH 1234' },
      'it has a user by the name “administrator”',
    ],
    ['password_wrong', { applicationPassword: users.administrator.password }, '24 letters and digits'],
  ] as const
  for (const [code, change, sentence] of wrong) {
    it(`answers ${code} and says “${sentence}”`, async () => {
      const client = createClient({ ...connectionAs('administrator'), ...change }, outbound)
      await expect(fetchCurrentUser(client)).rejects.toMatchObject({
        code,
        message: expect.stringContaining(sentence),
      })
    })
  }

  it('claims no user where every page is that of a site which opens soon', async () => {
    const { client } = await through(answer(pages.homePage), {
      match: { where: ({ url }) => !url.includes('wp-json') },
    })
    const credentials = { username: 'nobody', applicationPassword: 'abcd EFGH 1234 abcd EFGH 1234' }
    const refusal = await errorOf(
      fetchCurrentUser(createClient({ ...client.site, ...credentials }, outbound)),
    )
    expect(refusal).toMatchObject({ code: 'not_logged_in', message: expect.not.stringContaining('nobody') })
  })

  it('works by a root of the plain kind', async () => {
    const site = { ...connectionAs('author'), restRoot: `${url}/?rest_route=/` }
    expect((await fetchCurrentUser(createClient(site, outbound))).roles).toEqual(['author'])
  })
})
