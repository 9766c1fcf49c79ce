import { describe, expect, it } from 'vitest'
import { readFrontPage } from '../../../src/wordpress/doctor/checks/connection.ts'
import { outbound } from '../site.ts'
import { misbehaving } from './misbehaving.ts'

const firstPageOf = async (how: string): Promise<string | null> =>
  readFrontPage(outbound, (await misbehaving(how)).site.restRoot.replace('wp-json/', ''))

// What a check then says: test/connect/closed.wordpress.test.ts.
describe('the first page of a site, as visitors see it', () => {
  it('is read where a theme shows it', async () => {
    expect(await firstPageOf('nothing')).toContain('https://api.w.org/')
  })

  it.each(['coming-soon', 'login-in-place', 'maintenance-for-visitors', 'forces-login'])(
    'is not taken for what a plugin shows in its place (%s)',
    async (how) => {
      expect(await firstPageOf(how)).toBeNull()
    },
  )
})
