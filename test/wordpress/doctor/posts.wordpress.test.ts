import { describe, expect, it } from 'vitest'
import { checkEditor, checkSeo } from '../../../src/wordpress/doctor/checks/plugins.ts'
import { checkPostType, checkTerms } from '../../../src/wordpress/doctor/checks/post-type.ts'
import { readPostSchema, readPostTypes, seoFieldOf } from '../../../src/wordpress/schema.ts'
import { answer } from '../../support/proxy/index.ts'
import { through } from '../proxied.ts'
import { clientAs } from '../site.ts'
import { jsonAltered } from './lines.ts'

describe('the post types of a site', () => {
  it('are those a document can become, with what they take', async () => {
    const types = await readPostTypes(clientAs('editor'))
    const post = { name: 'post', restBase: 'posts', label: 'Posts', hasContent: true }
    expect(types).toContainEqual(expect.objectContaining(post))
    expect(types.map(({ restBase }) => restBase)).not.toContain('media')
  })

  it('are named where the chosen one is not there', async () => {
    const finding = checkPostType(await readPostTypes(clientAs('editor')), 'galleys')
    expect(finding).toMatchObject({
      level: 'problem',
      seen: expect.stringMatching(/“galleys”.*posts, pages/),
    })
  })

  it('get a warning where they take neither categories nor tags', async () => {
    const [posts, pages] = await Promise.all([
      readPostSchema(clientAs('editor'), { postType: 'posts' }),
      readPostSchema(clientAs('editor'), { postType: 'pages' }),
    ])
    expect(checkTerms(posts).level).toBe('ok')
    expect(checkTerms(pages)).toMatchObject({
      level: 'warning',
      seen: expect.stringContaining('no categories and no tags'),
    })
  })
})

describe('the description for search engines', () => {
  const withMeta = (...keys: string[]) =>
    jsonAltered('more registered meta', (options) => {
      const schema = options.schema as { properties: { meta: { properties: object } } }
      const meta = Object.fromEntries(keys.map((key) => [key, { type: 'string' }]))
      Object.assign(schema.properties.meta, { properties: meta })
      return options
    })

  for (const [key, plugin] of [
    ['_yoast_wpseo_metadesc', 'Yoast SEO'],
    ['rank_math_description', 'Rank Math'],
    ['_seopress_titles_desc', 'SEOPress'],
  ] as const) {
    it(`goes to ${plugin} where the site’s schema offers ${key}`, async () => {
      const { client } = await through(withMeta('footnotes', key), { match: { method: 'OPTIONS' } })
      const field = seoFieldOf(await readPostSchema(client, { postType: 'posts' }))
      expect(field).toEqual({ plugin, key })
      expect(checkSeo(field, { namespaces: [], frontPage: '' }).level).toBe('ok')
    })
  }

  it('gets a warning where a plugin keeps it to itself', async () => {
    const field = seoFieldOf(await readPostSchema(clientAs('author'), { postType: 'posts' }))
    expect(field).toBeNull()
    expect(checkSeo(field, { namespaces: ['wp/v2', 'yoast/v1'], frontPage: '' })).toMatchObject({
      level: 'warning',
      seen: expect.stringContaining('Yoast SEO is there, but'),
    })
    expect(checkSeo(field, { namespaces: ['wp/v2'], frontPage: '' }).level).toBe('ok')
    // It has no routes, and signs its pages.
    const frontPage = '<!-- The SEO Framework by Sybren Waaijer -->'
    expect(checkSeo(field, { namespaces: ['wp/v2'], frontPage })).toMatchObject({
      level: 'warning',
      todo: expect.stringContaining('_genesis_description'),
    })
    // Nobody was told which plugins there are.
    expect(checkSeo(field, { namespaces: null, frontPage: '' })).toMatchObject({
      level: 'ok',
      seen: expect.stringContaining('the site hides the index of its REST API'),
    })
  })

  it('cannot be told to have no plugin where visitors are not shown its first page', () => {
    expect(checkSeo(null, { namespaces: ['wp/v2'], frontPage: null })).toMatchObject({
      level: 'ok',
      seen: expect.stringContaining('visitors are not shown the first page'),
    })
  })
})

describe('the editor', () => {
  const namespaces = ['wp/v2', 'wp-block-editor/v1']
  const plugins = (status: string) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify([{ plugin: 'classic-editor/classic-editor', status }])),
  })

  it('is the block editor on a plain site', async () => {
    expect((await checkEditor(clientAs('administrator'), namespaces)).level).toBe('ok')
  })

  it('is taken for the block editor where the user may not see the plugins', async () => {
    expect(await checkEditor(clientAs('author'), namespaces)).toMatchObject({
      level: 'ok',
      seen: expect.stringContaining('only an administrator may see'),
    })
  })

  for (const [status, editor, level] of [
    ['active', 'classic', 'warning'],
    ['network-active', 'classic', 'warning'],
    ['inactive', 'block', 'ok'],
  ] as const) {
    it(`is the ${editor} one where the Classic Editor plugin is ${status}`, async () => {
      const { client } = await through(answer(plugins(status)), { match: { path: '/wp/v2/plugins' } })
      expect((await checkEditor(client, namespaces)).level).toBe(level)
    })
  }

  it('gets advice until the site’s settings say which markup is wanted', async () => {
    const { client } = await through(answer(plugins('active')), { match: { path: '/wp/v2/plugins' } })
    const findings = []
    for (const format of ['auto', 'classic', 'block'] as const)
      findings.push(await checkEditor(client, namespaces, format))
    expect(findings).toMatchObject([
      {
        level: 'warning',
        todo: expect.stringMatching(/classic markup.*Settings → Writing.*nothing is left to do/),
      },
      { level: 'ok', means: 'Posts are written as classic markup, as the site’s settings say.' },
      { level: 'ok', means: expect.stringContaining('blocks') },
    ])
  })

  it('is the classic one where WordPress has no other', async () => {
    expect((await checkEditor(clientAs('author'), ['wp/v2'])).seen).toContain('no block editor')
  })
})
