import { expect, it } from 'vitest'
import { findDraftsByTitle } from '../../src/wordpress/posts/find.ts'
import { fakeSite, upTo } from './fake-site.ts'

it('drafts are looked for by title with one request for all who ask in the same moment', async () => {
  const { client, trouble, went, heard } = await fakeSite()
  const drafts = upTo(10).map((id) => ({ id, title: { raw: `Title ${id}` } }))
  trouble(({ method }) => (method === 'GET' ? { status: 200, body: drafts } : undefined))
  const find = (title: string) => findDraftsByTitle(client, { postType: 'posts', title })
  // The statuses that posts have there are learned before.
  await find('Title 1')
  heard.length = 0
  const found = await Promise.all(upTo(10).map((id) => find(`Title ${id}`)))
  expect(went()).toEqual(['GET /wp/v2/posts'])
  for (const id of upTo(10)) expect(found[id - 1]).toContainEqual({ id, title: `Title ${id}` })
})
