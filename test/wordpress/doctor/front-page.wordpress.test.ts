import { describe, expect, it } from 'vitest'
import { readFrontPage } from '../../../src/wordpress/doctor/checks/connection.ts'
import { runChecks } from '../../../src/wordpress/doctor/run-checks.ts'
import { outbound } from '../site.ts'
import { linesOf, misbehaving } from './misbehaving.ts'

const firstPageOf = async (how: string): Promise<string | null> =>
  readFrontPage(outbound, (await misbehaving(how)).site.restRoot.replace('wp-json/', ''))

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

  it('and then the doctor cannot tell what it would have read there', async () => {
    const { findings } = await runChecks(await misbehaving('coming-soon'))
    expect(linesOf(findings, 'seo')).toMatchObject([
      { seen: expect.stringContaining('visitors are not shown the first page') },
    ])
  })
})
