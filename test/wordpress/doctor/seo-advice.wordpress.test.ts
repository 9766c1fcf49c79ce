import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../../src/wordpress/client/client.ts'
import { runChecks } from '../../../src/wordpress/doctor/run-checks.ts'
import { deletePost } from '../../../src/wordpress/posts/find.ts'
import { fillPost, reservePost } from '../../../src/wordpress/posts/write.ts'
import { readPostSchema, seoFieldOf } from '../../../src/wordpress/schema.ts'
import { misbehavingSite } from '../../support/wordpress/index.ts'
import { connectionAs, outbound, unique, wordpress } from '../site.ts'

/** Adds it to the site as its owner would, for the length of a test. */
function install(php: string): void {
  const file = join(wordpress().muPlugins, `galley-advice-${randomUUID()}.php`)
  writeFileSync(file, `<?php\n${php}\n`)
  onTestFinished(() => rmSync(file, { force: true }))
}

describe.each([
  ['Rank Math', 'seo-plugin:rankmath/v1', 'posts', 'rank_math_description'],
  ['The SEO Framework', 'seo-plugin,notes', 'notes', '_genesis_description'],
])('what the doctor prints to open the description of %s', (plugin, how, postType, key) => {
  test(`lets an author of ${postType} set it`, async () => {
    const { url, close } = await misbehavingSite(how)
    onTestFinished(close)
    const client = createClient({ ...connectionAs('author'), restRoot: `${url}/wp-json/` }, outbound)
    const { findings } = await runChecks(client, { postType })
    const advice = findings.find(({ check }) => check === 'seo')
    expect(advice).toMatchObject({ level: 'warning', seen: expect.stringContaining(plugin) })
    const php = /functions\.php: (.*)$/s.exec(advice?.todo ?? '')?.[1] ?? ''
    expect(php).toContain('auth_callback')

    install(php)
    expect(seoFieldOf(await readPostSchema(client, { postType }))).toEqual({ plugin, key })
    const { id } = await reservePost(client, { postType, title: 'Described', marker: unique('galley') })
    onTestFinished(() => deletePost(client, { postType, id }))
    const filled = await fillPost(client, {
      postType,
      id,
      fields: { content: 'All of it.', meta: { [key]: 'Cold & early' } },
    })
    expect(filled).toMatchObject({ meta: { [key]: 'Cold & early' } })
  })
})
