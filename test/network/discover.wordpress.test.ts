import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningWordPress, startWordPress } from '../../demo/wordpress/index.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { createClient } from '../../src/wordpress/client/client.ts'
import { fetchCurrentUser } from '../../src/wordpress/discover/current-user.ts'
import { discover } from '../../src/wordpress/discover/discover.ts'
import { reservePost } from '../../src/wordpress/posts/write.ts'

// A network of sites of this test's own, always in WASM: the WordPress that the other tests share stays a single one.

const outbound = createOutbound({
  allowPrivate: ['127.0.0.1'],
  userAgent: 'Galley/0.0.0 (+https://galley.example)',
})
const reservation = { postType: 'posts', title: 'Here', marker: 'galley-network-test' } as const

let network: RunningWordPress
beforeAll(async () => {
  network = await startWordPress({ log: () => undefined })
  await copyFile(new URL('network.php', import.meta.url), join(network.muPlugins, 'network.php'))
  for (const made of ['network', 'branch']) {
    const response = await fetch(`${network.url}/`, { headers: { 'x-galley-network': 'yes' } })
    expect(await response.json()).toBe(made)
  }
})
afterAll(() => Promise.all([network.stop(), outbound.close()]))

const as = (role: 'editor' | 'author', restRoot: string) => {
  const { login: username, applicationPassword } = network.users[role]
  return createClient({ name: 'branch', restRoot, username, applicationPassword }, outbound)
}

describe('a site of a network', () => {
  it.each(['/branch/wp-admin/', '/branch/2026/01/01/no-such-post/'])(
    'is found from “%s”, and not the network’s first',
    async (typed) => {
      expect(await discover(outbound, network.url + typed)).toMatchObject({
        home: `${network.url}/branch`,
        restRoot: `${network.url}/branch/wp-json/`,
        name: 'The branch',
        authorizationUrl: `${network.url}/branch/wp-admin/authorize-application.php`,
      })
    },
  )

  it('is not taken for the network, whose first site is found where nothing more is typed', async () => {
    const found = await discover(outbound, network.url)
    expect(found).toMatchObject({ restRoot: `${network.url}/wp-json/` })
    expect(found.name).not.toBe('The branch')
  })

  it('takes the posts of its own users', async () => {
    const client = as('editor', `${network.url}/branch/wp-json/`)
    expect(await fetchCurrentUser(client)).toMatchObject({ roles: ['editor'] })
    const post = await reservePost(client, reservation)
    expect(post.link).toContain(`${network.url}/branch/`)
  })

  it('refuses a user of another of its sites', async () => {
    const client = as('author', `${network.url}/branch/wp-json/`)
    await expect(reservePost(client, reservation)).rejects.toMatchObject({ code: 'rights_missing' })
  })
})
