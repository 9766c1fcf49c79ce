import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { resolveFields, resolvePostType } from '../../src/delivery/steps/resolve-fields.ts'
import type { Warning } from '../../src/errors.ts'
import { siteSettingsSchema } from '../../src/sites/settings.ts'
import { createSiteTraffic } from '../../src/wordpress/traffic/site-traffic.ts'
import { startFaultProxy, withHeaders } from '../support/proxy/index.ts'
import { misbehavingSite, rest } from '../support/wordpress/index.ts'
import { clientAs, unique, wordpress } from '../wordpress/site.ts'

test('what an owner adds because a warning says so is there for the next delivery', async () => {
  const plugins = await misbehavingSite('rows')
  const proxy = await startFaultProxy(wordpress().url)
  onTestFinished(async () => {
    await proxy.close()
    await plugins.close()
  })
  let now = 1_000
  const traffic = createSiteTraffic({ concurrency: 2, batch: 'off', now: () => now })
  const client = clientAs('administrator', { restRoot: `${proxy.url}/wp-json/`, traffic })
  const author = unique('newcomer')
  const fields = {
    ...{ author, post_type: 'leaflet', taxonomies: { genre: ['Essay'] } },
    ...{ fields: { subtitle: 'Low tide' }, seo: { title: 'Low tide' } },
  }
  const warnings: Warning[] = []
  const site = { client, name: 'the site', settings: siteSettingsSchema.parse({}) }
  const resolving = { site, wanted: { fields }, postType: 'posts', warnings } as unknown as Parameters<
    typeof resolveFields
  >[0] &
    Parameters<typeof resolvePostType>[0]
  const resolve = async () => {
    warnings.length = 0
    const members = await resolveFields(resolving, async () => ({ ids: [1], warnings: [] }))
    const type = await resolvePostType(resolving).catch(({ code }) => code)
    return [...Object.keys(members), ...warnings.map(({ code }) => code), type]
  }
  expect(await resolve()).toEqual([
    ...['author_unknown', 'taxonomy_unknown', 'seo_unavailable', 'custom_field_unknown'],
    'post_type_unknown',
  ])

  proxy.rule({}, withHeaders({ 'x-galley-test': 'rows' }))
  const user = await rest<{ id: number }>('administrator', 'POST', '/wp/v2/users', {
    ...{ username: author, email: `${author}@example.com`, password: author, roles: ['author'] },
  })
  onTestFinished(() => rest('administrator', 'DELETE', `/wp/v2/users/${user.id}?force=true&reassign=1`))
  now += 20_000
  // The library looks at the clock once in a millisecond.
  await setTimeout(5)
  expect(await resolve()).toEqual([
    'author',
    'genres',
    'meta._yoast_wpseo_title',
    'meta.subtitle',
    'leaflets',
  ])
})
