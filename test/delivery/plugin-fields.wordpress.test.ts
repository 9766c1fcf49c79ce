import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settled } from '../support/galley.ts'
import { type RestItem, rest } from '../support/wordpress/index.ts'
import { type JudgedStage, startJudgedStage, testVerdict } from './judged-stage.ts'
import { codesOf, findingsOf, laneWith } from './plugin-lane.ts'
import { withMore } from './posts.ts'

let stage: JudgedStage

beforeAll(async () => {
  stage = await startJudgedStage()
})

afterAll(() => stage.close())

test('a plugin that refuses whoever has not signed in yet with HTTP 500: held for its owner, and not tried again', async () => {
  const { siteId, proxy } = await laneWith(stage, 'dies-for-visitors')
  const document = stage.documents.make(siteId)
  const delivery = await stage.deliver(document)
  expect(delivery).toMatchObject({
    status: 'held',
    error: { message: expect.stringContaining('“Disallow unauthorized REST requests”') },
  })
  const { rows } = await stage.pool.query('SELECT trouble, paused_until FROM site WHERE id = $1', [siteId])
  expect(rows).toMatchObject([{ trouble: { code: 'visitors_refused' }, paused_until: null }])

  proxy.clear()
  await stage.galley.call('POST', `/v1/deliveries/${delivery.id}/retry`)
  expect(await settled(stage.galley, document.id)).toMatchObject({ status: 'delivered' })
})

describe('a type without categories, tags and authors', () => {
  const named = (name: string) =>
    rest<RestItem[]>('administrator', 'GET', `/wp/v2/tags?search=${encodeURIComponent(name)}`)

  test('gets none made, and says so; the preview says it before', async () => {
    const { siteId } = await laneWith(stage, 'bulletins')
    await stage.pool.query(
      `UPDATE site SET settings = settings || '{"post_type": "bulletins"}' WHERE id = $1`,
      [siteId],
    )
    const word = `${stage.documents.word} unused`
    const document = withMore(
      stage.documents.make(siteId),
      {},
      { categories: [word], tags: [word], author: 'editor' },
    )
    const { body } = await stage.galley.call<{ data: { terms: object[]; warnings: object[] } }>(
      'POST',
      `/v1/sites/${siteId}/preview`,
      document.body,
    )
    expect(body.data.terms).toEqual(
      ['categories', 'tags'].map((taxonomy) => ({ taxonomy, name: word, outcome: 'left_out', id: null })),
    )
    // It is no post, and where the plugin is off nobody sees it.
    stage.except(document, 'lost', 'miscalled')
    const delivery = await stage.deliver(document)
    expect(delivery).toMatchObject({ status: 'delivered' })
    expect(codesOf(delivery)).toEqual(['categories_unavailable', 'tags_unavailable', 'author_dropped'])
    expect(delivery.warnings[2]?.message).toContain('Posts of this type have no author')
    expect(delivery.warnings[0]?.message).toContain(`“${word}”`)
    expect(await named(word)).toEqual([])
  })
})

describe('a plugin that requires fields of editors', () => {
  test('leaves them empty without a word, so the doctor finds them and each delivery names those that are', async () => {
    const { siteId } = await laneWith(stage, 'required-fields')
    expect(await findingsOf(stage, siteId)).toMatchObject([
      { check: 'required_fields', level: 'warning', seen: expect.stringContaining('subtitle, region') },
    ])
    const delivery = await stage.deliver(stage.documents.make(siteId))
    expect(delivery).toMatchObject({
      status: 'delivered',
      warnings: [
        { code: 'required_fields_empty', message: expect.stringContaining('has nothing in subtitle, which') },
      ],
    })
  })
})

testVerdict(() => stage)
