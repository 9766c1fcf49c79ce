import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { examine } from '../../src/wordpress/index.ts'
import { withHeaders } from '../support/proxy/index.ts'
import { type RestItem, removeTerm } from '../support/wordpress/index.ts'
import { misbehavingSite } from '../support/wordpress/misbehaving.ts'
import { through } from '../wordpress/proxied.ts'
import { laneWith, postsOf } from './plugin-lane.ts'
import { withMore } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'
import { asAdministrator } from './with-plugin.ts'

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage()
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

  test('a language that it does not have is refused, with those that it has', async () => {
    const { siteId } = await laneWith(stage, 'languages')
    const { status, body } = await patched(siteId, { language: 'xx' })
    expect(status).toBe(422)
    expect(body.error.message).toContain('there are fr (Français), en (English)')
    const plain = await stage.lane('editor')
    expect((await patched(plain.siteId, { language: 'en' })).body.error.message).toContain(
      'Polylang is not there',
    )
  })
})

describe('the doctor, of languages', () => {
  let close: () => Promise<void>
  beforeEach(async () => {
    close = (await misbehavingSite('languages')).close
    onTestFinished(() => close())
  })
  for (const [language, level, says] of [
    [null, 'warning', 'the settings name none'],
    ['en', 'ok', 'English'],
    ['xx', 'warning', 'does not have'],
  ] as const)
    test(`says where ${language ?? 'none'} is named`, async () => {
      const { client } = await through(withHeaders({ 'x-galley-test': 'languages' }), { role: 'editor' })
      const { findings } = await examine(client, { language })
      expect(findings.find(({ check }) => check === 'language')).toMatchObject({
        level,
        seen: expect.stringContaining(says),
      })
    })

  test('is silent on a site of one language', async () => {
    const { client } = await through({
      name: 'as it is',
      apply: async ({ forward, reply }) => reply(await forward()),
    })
    expect((await examine(client)).findings.map(({ check }) => check)).not.toContain('language')
  })
})
