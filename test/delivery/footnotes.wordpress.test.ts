import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import { loadEditor } from '../support/editor.ts'
import { settled } from '../support/galley.ts'
import { wordpress } from '../support/wordpress/index.ts'
import { codesOf, laneWith } from './plugin-lane.ts'
import { contentOf, edit, read } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

let stage: DeliveryStage
/** Of a user whose markup WordPress filters. */
let authorsId: string

beforeAll(async () => {
  stage = await startStage({}, { picture: false })
  authorsId = (await stage.lane('author')).siteId
})
afterAll(() => stage.close())

const { version, root } = wordpress()
const [major = 0, minor = 0] = version.split('.').map(Number)
/** Whether this WordPress has the block `core/footnotes`, and formulas. */
const hasNotes = major > 6 || minor >= 3
const hasMath = major > 6 || minor >= 9

/** A version of a document with notes; their words are unlike all others, so that what stands can be told. */
function noted(siteId: string, notes: readonly string[], of?: FaultDocument): FaultDocument {
  const document = stage.documents.make(siteId, {
    post_status: 'publish',
    ...(of && { of }),
  })
  const references = notes.map((_, index) => ` Note${index}[^${index}].`).join('')
  const definitions = notes.map((note, index) => `[^${index}]: ${note}`).join('\n\n')
  Object.assign(document.body.data as object, {
    content: `The tide of ${document.title}.${references}\n\n$$\nx^2\n$$\n\n${definitions}\n`,
  })
  return document
}

interface NotedPost {
  content: { raw: string; rendered: string }
  meta: { footnotes?: string }
}

const post = async (id: number | undefined) => (await read(id)) as unknown as NotedPost

const notesOf = ({ meta }: NotedPost): { id: string; content: string }[] =>
  meta.footnotes ? JSON.parse(meta.footnotes) : []

test(`an author's notes and formulas are those of WordPress ${version}, and a visitor reads them`, async () => {
  await stage.galley.call('POST', `/v1/sites/${authorsId}/check`)
  const delivery = await stage.deliver(noted(authorsId, ['A **lunar** day & "more"', 'Neap']))
  expect(delivery.status).toBe('delivered')
  expect(codesOf(delivery).sort()).toEqual([
    ...(hasNotes ? [] : ['footnotes_as_list']),
    ...(hasMath ? [] : ['math_as_code']),
  ])
  const stored = await post(delivery.post?.id)
  const { raw, rendered } = stored.content
  expect(loadEditor(root).judge(raw)).toMatchObject({ valid: true, invalid: [] })
  expect(notesOf(stored).map(({ content }) => content)).toEqual(
    hasNotes ? ['A <strong>lunar</strong> day &amp; "more"', 'Neap'] : [],
  )
  expect(raw).toContain(
    hasNotes ? '<!-- wp:footnotes /-->' : '<strong>lunar</strong> day &amp; "more" <a href="#',
  )
  expect(raw).toContain(hasMath ? '<math display="block">' : '<code>x^2</code>')
  // Each reference leads to its note, and each note back.
  const ids = [...rendered.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  const targets = [...rendered.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id)
  expect(targets).toHaveLength(4)
  expect(ids).toEqual(expect.arrayContaining(targets))
  expect(rendered).toMatch(/<strong>lunar<\/strong> day &(?:amp|#038);.*Neap/s)
})

test('the classic editor has the notes in a list, which is no loss and no change', async () => {
  const { siteId } = await stage.lane('author', { format: 'classic' })
  const delivery = await stage.deliver(noted(siteId, ['A lunar day']))
  expect(codesOf(delivery)).toEqual(['math_as_code'])
  expect(await contentOf(delivery.post?.id)).toMatch(/<ol><li>A lunar day <a href="#[^"]+-link" id="[^"]+">↩/)
})

if (hasNotes) {
  describe('a newer version', () => {
    test('brings other notes, and takes them all away', async () => {
      const first = noted(authorsId, ['A lunar day'])
      const { post: delivered } = await stage.deliver(first)
      await stage.deliver(noted(authorsId, ['A solar day', 'Another'], first))
      expect(notesOf(await post(delivered?.id)).map(({ content }) => content)).toEqual([
        'A solar day',
        'Another',
      ])
      await stage.deliver(noted(authorsId, [], first))
      const last = await post(delivered?.id)
      expect(last.meta.footnotes).toBe('')
      expect(last.content.raw).not.toContain('wp:footnotes')
    })

    test('is held where a person has changed a note alone, and goes out when that is asked for', async () => {
      const siteId = await stage.site()
      const first = noted(siteId, ['A lunar day'])
      const { post: delivered } = await stage.deliver(first)
      const [note] = notesOf(await post(delivered?.id))
      const footnotes = JSON.stringify([{ ...note, content: 'In my own words' }])
      await edit(delivered?.id, { meta: { footnotes } })
      const held = await stage.deliver(noted(siteId, ['A solar day'], first))
      expect(held).toMatchObject({ status: 'held', error: { code: 'post_changed' } })
      expect(held.error?.message).toContain('(footnotes)')
      expect(held.error).toMatchObject({
        details: {
          changes: [{ site: expect.stringContaining('In my own words') }],
        },
      })
      expect(notesOf(await post(delivered?.id))).toMatchObject([{ content: 'In my own words' }])
      await stage.galley.call('POST', `/v1/deliveries/${held.id}/retry`, { overwrite: true })
      expect(await settled(stage.galley, first.id)).toMatchObject({ status: 'delivered' })
      expect(notesOf(await post(delivered?.id))).toMatchObject([{ content: 'A solar day' }])
    })
  })

  describe('notes stand in a list, with a warning, where the site', () => {
    test.each(['no-footnotes', 'refuses-footnotes', 'drops-footnotes'])('%s', async (plugin) => {
      const { siteId } = await laneWith(stage, plugin)
      const delivery = await stage.deliver(noted(siteId, ['A lunar day']))
      expect(delivery).toMatchObject({ status: 'delivered', post: { status: 'publish' } })
      expect(codesOf(delivery).filter((code) => code !== 'math_as_code')).toEqual(['footnotes_as_list'])
      const { content } = await post(delivery.post?.id)
      expect(content.raw).toMatch(/<li>A lunar day <a href="#[^"]+-link" id="[^"]+">↩/)
      expect(content.raw).not.toContain('wp:footnotes')
    })
  })

  test('the preview has the notes that the post will have', async () => {
    const siteId = await stage.site()
    const { body } = noted(siteId, ['A lunar day'])
    const preview = await stage.galley.call<{ data: { post: { footnotes: object[] } } }>(
      'POST',
      `/v1/sites/${siteId}/preview`,
      body,
    )
    expect(preview.body.data.post.footnotes).toMatchObject([{ content: 'A lunar day' }])
  })
}
