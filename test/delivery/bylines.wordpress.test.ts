import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkByline } from '../../src/wordpress/doctor/checks/post-type.ts'
import { runChecks } from '../../src/wordpress/doctor/run-checks.ts'
import { reservePost } from '../../src/wordpress/posts/write.ts'
import { readPostSchema } from '../../src/wordpress/schema.ts'
import { withHeaders } from '../support/proxy/index.ts'
import { misbehavingSite, type RestItem, removePost, rest, wordpress } from '../support/wordpress/index.ts'
import { through } from '../wordpress/proxied.ts'
import { clientAs, unique } from '../wordpress/site.ts'
import { type JudgedStage, startJudgedStage, testVerdict } from './judged-stage.ts'
import { codesOf, laneWith } from './plugin-lane.ts'
import { asAdministrator } from './with-plugin.ts'

const { login } = wordpress().users.author

let stage: JudgedStage
let authorId: number

beforeAll(async () => {
  stage = await startJudgedStage()
  const [user] = await rest<RestItem[]>('administrator', 'GET', `/wp/v2/users?search=${login}&context=edit`)
  authorId = user?.id as number
})

afterAll(() => stage.close())

/** Delivers to a site with this plugin whose settings name an author, and reads the byline. */
async function bylineWith(plugin: string, field: string) {
  const lane = await laneWith(stage, plugin, { author: login })
  const document = stage.documents.make(lane.siteId, { post_status: 'publish' })
  const delivery = await stage.deliver(document)
  expect(delivery).toMatchObject({ status: 'delivered' })
  const path = `/wp/v2/posts/${delivery.post?.id}?context=edit`
  const byline = async () =>
    (await asAdministrator<Record<string, number[]>>(lane.url, 'GET', path))[field] ?? []
  return { ...lane, document, delivery, byline }
}

describe('a plugin that keeps bylines as terms of authors', () => {
  for (const [plugin, field] of [
    ['coauthors', 'coauthors'],
    [`made-authors:${login}`, 'ppma_author'],
  ] as const)
    test(`names the author of the settings (${field})`, async () => {
      const { url, delivery, byline } = await bylineWith(plugin, field)
      expect(delivery.warnings).toEqual([])
      const [term, ...others] = await byline()
      expect(others).toEqual([])
      expect(await asAdministrator(url, 'GET', `/wp/v2/${field}/${term}`)).toMatchObject({ name: login })
    })

  test('a later version leaves what a person has made of it', async () => {
    const { url, siteId, document, delivery, byline } = await bylineWith('coauthors', 'coauthors')
    const [term] = await byline()
    const all = await asAdministrator<RestItem[]>(url, 'GET', '/wp/v2/coauthors')
    const other = all.find(({ id }) => id !== term)?.id
    const coauthors = [term, other] as number[]
    await asAdministrator(url, 'POST', `/wp/v2/posts/${delivery.post?.id}`, { coauthors })
    const next = stage.documents.make(siteId, { of: document, version: 'second', post_status: 'publish' })
    expect(await stage.deliver(next)).toMatchObject({ status: 'delivered', warnings: [] })
    expect((await byline()).sort()).toEqual(coauthors.sort())
  })

  test('and has none for the user: delivered, and said, by the doctor before', async () => {
    const { delivery } = await bylineWith('made-authors', 'ppma_author')
    expect(delivery.warnings).toMatchObject([
      {
        code: 'byline_unset',
        message: expect.stringContaining('PublishPress Authors keeps the byline there'),
      },
    ])
    const { client } = await through(withHeaders({ 'x-galley-test': 'made-authors' }), { role: 'editor' })
    const { findings } = await runChecks(client, { authorId })
    expect(findings.find(({ check }) => check === 'cleanup')?.level).toBe('ok')
    expect(findings.find(({ check }) => check === 'byline')).toMatchObject({
      level: 'warning',
      todo: 'Create an author for that user in PublishPress Authors.',
    })
  })

  test('and lets this user set none: delivered, and said', async () => {
    const { delivery } = await bylineWith('locked-authors', 'ppma_author')
    expect(codesOf(delivery)).toEqual(['byline_unset'])
    expect(delivery.warnings[0]?.message).toContain('could not be set')
  })
})

test('a plugin that keeps bylines as users names the author of the settings', async () => {
  const { delivery, byline } = await bylineWith('authorship', 'authorship')
  expect({ warnings: delivery.warnings, byline: await byline() }).toEqual({
    warnings: [],
    byline: [authorId],
  })
})

describe('the doctor gives a draft of its own the author of the settings', () => {
  const examined = async (plugin: string, author = authorId) => {
    const site = await misbehavingSite(plugin)
    onTestFinished(() => site.close())
    const client = clientAs('editor', { restRoot: `${site.url}/wp-json/` })
    const postType = 'posts'
    const schema = await readPostSchema(client, { postType })
    const draft = await reservePost(client, { postType, title: 'Examined', marker: unique('galley') })
    onTestFinished(() => removePost(draft.id))
    return checkByline(client, { postType, schema, namespaces: [], authorId: author, draft })
  }

  for (const [plugin, level, says] of [
    ['nothing', 'ok', 'has kept it'],
    ['coauthors', 'ok', 'Co-Authors Plus keeps the bylines that readers see, and took the author'],
    ['authorship', 'ok', 'Authorship keeps the bylines that readers see, and took the author'],
    ['locked-authors', 'warning', 'that of a draft could not be set'],
    ['stubborn-authors', 'warning', 'left the one of a draft as it was'],
    ['site-author', 'warning', 'a plugin made it user 1'],
  ] as const)
    test(`${plugin}: ${says}`, async () => {
      expect(await examined(plugin)).toMatchObject([{ level, seen: expect.stringContaining(says) }])
    })

  test('and names a user who is gone', async () => {
    expect(await examined('nothing', 999_999)).toMatchObject([
      { level: 'problem', seen: expect.stringContaining('the site’s setting “author”') },
    ])
  })
})

testVerdict(() => stage)
