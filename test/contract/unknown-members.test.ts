import { expect, test } from 'vitest'
import { readWebhook, unknownMembers } from '../../src/contract/webhook.ts'

test.each([
  [{ postStatus: 'publish' }, 'postStatus', 'delivery.post_status'],
  [{ delivery: { postStatus: 'publish' } }, 'delivery.postStatus', '"post_status"'],
  [{ delivery: { siteId: 'x' } }, 'delivery.siteId', 'delivery.id'],
  [{ delivery: { categorys: ['a'] } }, 'delivery.categorys', 'delivery.metadata.categories'],
  [{ delivery: { colour: 'red' } }, 'delivery.colour', 'known are id'],
  [{ delivery: { metadata: { tag: ['a'] } } }, 'delivery.metadata.tag', '"tags"'],
  [{ delivery: { metadata: { autor: 'Ada' } } }, 'delivery.metadata.autor', '"author"'],
  [{ delivery: { metadata: { onLoss: 'hold' } } }, 'delivery.metadata.onLoss', 'delivery.on_loss'],
  [
    { delivery: { metadata: { seo: { metaTitle: 'x' } } } },
    'delivery.metadata.seo.metaTitle',
    'known are title',
  ],
  [
    { delivery: { metadata: { seo: { focusKeyword: 'x' } } } },
    'delivery.metadata.seo.focusKeyword',
    '"focus_keyword"',
  ],
  [
    { delivery: { metadata: { featured_image: { captions: 'x' } } } },
    'delivery.metadata.featured_image.captions',
    '"caption"',
  ],
  [{ data: { featuredImage: 'x' } }, 'data.featuredImage', '"featured_image"'],
  [{ data: { categorie: ['a'] } }, 'data.categorie', 'delivery.metadata.categories'],
  [{ data: { menuOrder: 3 } }, 'data.menuOrder', 'delivery.metadata.menu_order'],
  [{ data: { content: { content: [], tags: ['a'] } } }, 'data.content.tags', 'delivery.metadata.tags'],
  [
    { data: { content: { content: [], meta: { templates: 'a' } } } },
    'data.content.meta.templates',
    'delivery.metadata.template',
  ],
  [
    { data: { content: { content: [], meta: { descripton: 'a' } } } },
    'data.content.meta.descripton',
    '"description"',
  ],
])('what is not read is named once, with what was meant: %j', (webhook, path, meant) => {
  expect(unknownMembers(webhook)).toEqual([{ path, message: expect.stringContaining(meant) }])
})

test.each([
  [{ data: { series: 'Tides', wordings: 3, categories: null } }],
  [{ data: { content: { type: 'doc', content: [], tags: ['a'], fields: {} } } }],
  [{ data: { content: { nodeType: 'document', content: [], metadata: { tags: [] } } } }],
  [{ trace: 'abc', version: 2 }],
])('what is a sender’s own is left alone: %j', (webhook) => {
  expect(unknownMembers(webhook)).toEqual([])
})

test('a misspelled member inside a field does not make a webhook unusable', async () => {
  const parsed = await readWebhook({
    event: 'document.completed',
    id: 'a',
    data: { title: 'T', content: { content: ['Words'] } },
    delivery: {
      id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
      metadata: { seo: { title: 'S', focusKeyword: 'x' } },
    },
  })
  expect(parsed).toMatchObject({
    ok: true,
    event: { delivery: { fields: { seo: { title: 'S' } } } },
    ignored: [{ path: 'delivery.metadata.seo.focusKeyword' }],
  })
})
