import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import type { DeliveryData } from '../support/galley.ts'
import { postsOf } from './plugin-lane.ts'
import { deliverFirst, edit, read } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

// A site that is removed and connected again under another id: its documents are new to that id, and their posts stand.

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage()
})

afterAll(() => stage.close())

const remove = async (siteId: string) =>
  expect((await stage.galley.call('DELETE', `/v1/sites/${siteId}`)).status).toBe(200)

/** The same document for another site. */
const forSite = (siteId: string, document: FaultDocument, version = 'first') =>
  stage.documents.make(siteId, { post_status: 'publish', version, of: document })

/** Sends it, and waits until its delivery to this site rests: the document has one to each id that the site had. */
async function deliver(siteId: string, document: FaultDocument): Promise<DeliveryData> {
  await stage.send(document)
  const query = `document_id=${document.id}&site_id=${siteId}`
  const read = async () =>
    (await stage.galley.call<{ data: DeliveryData[] }>('GET', `/v1/deliveries?${query}`)).body.data[0]
  await expect.poll(async () => (await read())?.status).toMatch(/^(delivered|held|failed)$/)
  return (await read()) as DeliveryData
}

test('a published post of a removed site is found again under another id, and there is no second one', async () => {
  const { siteId } = await stage.lane()
  const { document, post } = await deliverFirst(stage, siteId, { post_status: 'publish' })
  await remove(siteId)
  const { siteId: other } = await stage.lane()
  expect(await deliver(other, forSite(other, document))).toMatchObject({
    ...{ status: 'delivered', post: { id: post?.id } },
  })
  expect(await postsOf(document)).toMatchObject([{ id: post?.id }])
  expect(await deliver(other, forSite(other, document, 'second'))).toMatchObject({
    ...{ status: 'delivered', post: { id: post?.id } },
  })
})

test('one that somebody has changed since is left as it is and held', async () => {
  const { siteId } = await stage.lane()
  const { document, post } = await deliverFirst(stage, siteId, { post_status: 'publish' })
  const { raw } = (await read(post?.id)).content as { raw: string }
  const content = `${raw}\n\n<!-- wp:paragraph -->\n<p>Mine.</p>\n<!-- /wp:paragraph -->`
  const changed = await edit(post?.id, { content })
  await remove(siteId)
  const { siteId: other } = await stage.lane()
  expect(await deliver(other, forSite(other, document))).toMatchObject({
    ...{ status: 'held', error: { code: 'post_changed' }, post: { id: post?.id } },
  })
  expect(await read(post?.id)).toEqual(changed)
})

test('a draft of a document without a slug is known again, under another id and under the same', async () => {
  const { siteId } = await stage.lane()
  const withoutSlug = (document: FaultDocument): FaultDocument => {
    const { meta } = (document.body.data as { content: { meta: { slug?: string } } }).content
    delete meta.slug
    return document
  }
  const draft = (id: string, of?: FaultDocument, version = 'first') =>
    withoutSlug(stage.documents.make(id, { post_status: 'draft', version, ...(of && { of }) }))
  const document = draft(siteId)
  const { post } = await stage.deliver(document)
  await remove(siteId)
  const { siteId: other } = await stage.lane()
  const second = await deliver(other, draft(other, document))
  expect(second.post?.id).toBe(post?.id)
  await remove(other)
  await stage.lane('editor', {}, siteId)
  expect(await deliver(siteId, draft(siteId, document, 'second'))).toMatchObject({ post: { id: post?.id } })
})
