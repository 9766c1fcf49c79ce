import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkLanguages } from '../../src/wordpress/doctor/checks/plugins.ts'
import { runChecks } from '../../src/wordpress/doctor/run-checks.ts'
import { withHeaders } from '../support/proxy/index.ts'
import { misbehavingSite, type RestItem, removeTerm } from '../support/wordpress/index.ts'
import { through } from '../wordpress/proxied.ts'
import { type JudgedStage, startJudgedStage, testVerdict } from './judged-stage.ts'
import { laneWith, postsOf } from './plugin-lane.ts'
import { withMore } from './posts.ts'
import { asAdministrator } from './with-plugin.ts'

let stage: JudgedStage

beforeAll(async () => {
  stage = await startJudgedStage()
})

afterAll(() => stage.close())

/** A category in both languages, by names that a document may use; the French has the English one's name too. */
async function translated(url: string) {
  const description = `${stage.documents.word} at sea`
  const make = async (name: string, lang: string) => {
    const { id } = await asAdministrator<RestItem>(url, 'POST', `/wp/v2/categories?lang=${lang}`, {
      name,
      description,
    })
    onTestFinished(() => removeTerm('categories', id))
    return id
  }
  const word = stage.documents.word
  return {
    name: `Seamanship ${word}`,
    french: await make(`Matelotage ${word}`, 'fr'),
    english: await make(`Seamanship ${word}`, 'en'),
  }
}

const patched = (siteId: string, settings: object) =>
  stage.galley.call<{ error: { message: string } }>('PATCH', `/v1/sites/${siteId}`, settings)

describe('a plugin for several languages', () => {
  test('terms are found and made in the language of the settings, and the post is of it', async () => {
    const { siteId, url } = await laneWith(stage, 'languages')
    expect((await patched(siteId, { language: 'en' })).status).toBe(200)
    const { word } = stage.documents
    // Of the same name in both languages, and the French one came first.
    const french = await asAdministrator<RestItem>(url, 'POST', '/wp/v2/tags?lang=fr', {
      name: `Port ${word}`,
    })
    onTestFinished(() => removeTerm('tags', french.id))
    const { name, english } = await translated(url)
    const document = withMore(
      stage.documents.make(siteId),
      {},
      { categories: [name], tags: [`Port ${word}`] },
    )
    const delivery = await stage.deliver(document)
    expect(delivery).toMatchObject({ status: 'delivered', warnings: [] })
    const [post] = await postsOf(document)
    expect(post?.categories).toEqual([english])
    const [tag] = (post?.tags ?? []) as number[]
    expect(tag).not.toBe(french.id)
    const inEnglish = await asAdministrator<RestItem[]>(url, 'GET', '/wp/v2/tags?lang=en&per_page=100')
    expect(inEnglish.map(({ id }) => id)).toContain(tag)
    onTestFinished(() => removeTerm('tags', tag as number))
  })

  test('what it exchanges is called by its name, where no language is named', async () => {
    const { siteId, url } = await laneWith(stage, 'languages')
    const { name, french } = await translated(url)
    const document = withMore(stage.documents.make(siteId), {}, { categories: [name] })
    const { status, warnings } = await stage.deliver(document)
    expect({ status, codes: warnings.map(({ code }) => code) }).toEqual({
      status: 'delivered',
      codes: ['categories_replaced'],
    })
    expect(warnings[0]?.message).toContain(
      `“Matelotage ${stage.documents.word}” instead of “Seamanship ${stage.documents.word}”`,
    )
    expect((await postsOf(document))[0]?.categories).toEqual([french])
  })

  test('a term of the same name in the language of the post is what was asked for', async () => {
    const { siteId, url } = await laneWith(stage, 'languages')
    const name = `Tide ${stage.documents.word}`
    const ids: number[] = []
    // The first is found, and is of another language than the post will be.
    for (const lang of ['en', 'fr']) {
      const body = { name, description: `${stage.documents.word} tides` }
      const { id } = await asAdministrator<RestItem>(url, 'POST', `/wp/v2/categories?lang=${lang}`, body)
      onTestFinished(() => removeTerm('categories', id))
      ids.push(id)
    }
    const document = withMore(stage.documents.make(siteId), {}, { categories: [name] })
    expect(await stage.deliver(document)).toMatchObject({ status: 'delivered', warnings: [] })
    expect((await postsOf(document))[0]?.categories).toEqual([ids[1]])
  })

  test('a language that it does not have is refused, with those that it has', async () => {
    const { siteId } = await laneWith(stage, 'languages')
    const { status, body } = await patched(siteId, { language: 'xx' })
    expect(status).toBe(422)
    expect(body.error.message).toContain('there are fr (Français), en (English)')
    expect((await patched(await stage.site(), { language: 'en' })).body.error.message).toContain(
      'Polylang is not there',
    )
  })
})

describe('the doctor, of languages', () => {
  const clientWith = async (how: string) => {
    const { close } = await misbehavingSite(how)
    onTestFinished(close)
    return (await through(withHeaders({ 'x-galley-test': how }), { role: 'editor' })).client
  }

  test('finds before the first delivery that several are there and none is named', async () => {
    const { findings } = await runChecks(await clientWith('languages'))
    expect(findings.find(({ check }) => check === 'language')).toMatchObject({
      level: 'warning',
      seen: expect.stringContaining('the settings name none'),
    })
  })

  for (const [language, level, says] of [
    ['en', 'ok', 'English'],
    ['xx', 'warning', 'does not have'],
  ] as const)
    test(`says what is to be said where ${language} is named`, async () => {
      const client = await clientWith('languages')
      expect(await checkLanguages(client, { namespaces: ['pll/v1'], language, frontPage: '' })).toMatchObject(
        {
          level,
          seen: expect.stringContaining(says),
        },
      )
    })

  test('says that WPML keeps the languages', async () => {
    const site = { namespaces: ['wpml/v1'], language: null, frontPage: '' }
    expect(await checkLanguages(await clientWith('nothing'), site)).toMatchObject({
      level: 'warning',
      seen: expect.stringContaining('WPML'),
    })
  })

  test('is silent on a site of one language, whether that shows its index or not', async () => {
    const client = await clientWith('nothing')
    for (const namespaces of [['wp/v2'], []])
      expect(await checkLanguages(client, { namespaces, language: null, frontPage: '' })).toBeNull()
  })

  test('says that it cannot be told where visitors are not shown the first page', async () => {
    const client = await clientWith('nothing')
    const namespaces = ['wp/v2']
    expect(await checkLanguages(client, { namespaces, language: null, frontPage: null })).toMatchObject({
      level: 'ok',
      seen: expect.stringContaining('cannot tell whether the site has several languages'),
    })
  })
})

testVerdict(() => stage)
