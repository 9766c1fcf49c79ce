import { afterAll, beforeAll, expect, test } from 'vitest'
import { rest } from '../support/wordpress/index.ts'
import { codesOf, laneWith } from './plugin-lane.ts'
import { read, withMore } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage({}, { picture: false })
})

afterAll(() => stage.close())

/** Whether Galley takes a site for working. */
async function isWorking(siteId: string): Promise<boolean> {
  const { rows } = await stage.pool.query('SELECT trouble, paused_until FROM site WHERE id = $1', [siteId])
  return rows[0].trouble === null && rows[0].paused_until === null
}

test('categories that the tables cannot hold are left out, and the character of each is named', async () => {
  const { siteId } = await laneWith(stage, 'utf8mb3')
  const { word } = stage.documents
  const names = ['🚀 Launch', 'Band 𝄞 notes', '𠮷野家']
  const categories = names.map((name) => `${name} ${word}`)
  const delivery = await stage.deliver(stage.documents.make(siteId, { categories }))
  expect(delivery.status).toBe('delivered')
  expect(delivery.warnings).toHaveLength(names.length)
  for (const character of ['🚀', '𝄞', '𠮷'])
    expect(delivery.warnings).toContainEqual(
      expect.objectContaining({
        code: 'term_not_created',
        message: expect.stringContaining(`“${character}”`),
      }),
    )
  expect(await isWorking(siteId)).toBe(true)
})

test('a title or a text with a character that the tables cannot hold: held, the character named, the site working', async () => {
  const { siteId } = await laneWith(stage, 'utf8mb3')
  const [titled, written] = [stage.documents.make(siteId), stage.documents.make(siteId)]
  const { content } = written.body.data as { content: object }
  for (const document of [
    withMore(titled, { title: `${titled.title} 𝒳` }),
    withMore(written, { content: { ...content, content: [{ type: 'paragraph', text: 'a 𝒳 b' }] } }),
  ]) {
    expect(await stage.deliver(document)).toMatchObject({
      status: 'held',
      error: { code: 'value_refused', message: expect.stringContaining('“𝒳” (U+1D4B3)') },
    })
    expect(await isWorking(siteId)).toBe(true)
  }
  expect(await stage.deliver(stage.documents.make(siteId))).toMatchObject({ status: 'delivered' })
})

test('a category with a script, a style, a comment or PHP beside other text is the category without it', async () => {
  const siteId = await stage.site()
  const { word } = stage.documents
  const requested = [
    `Tides <script>alert("x>y")</script> ${word}`,
    `Moon ${word} <style media="print">a { b: c }</style>`,
    `Sea <!-- a>b --> ${word}`,
    `Sand <?php if (1>0) echo 2; ?> ${word}`,
  ]
  const document = stage.documents.make(siteId, { categories: requested })
  const delivery = await stage.deliver(document)
  expect(delivery).toMatchObject({ status: 'delivered' })
  expect(codesOf(delivery)).toEqual([])
  const { categories } = (await read(delivery.post?.id)) as unknown as { categories: number[] }
  const names = await rest<{ name: string }[]>(
    'administrator',
    'GET',
    `/wp/v2/categories?include=${categories.join()}`,
  )
  const stored = ['Tides', 'Moon', 'Sea', 'Sand'].map((name) => `${name} ${word}`)
  expect(names.map(({ name }) => name)).toEqual(expect.arrayContaining(stored))
})
