import { randomUUID } from 'node:crypto'

interface Wish {
  id?: string
  siteId?: string
  title?: string
  slug?: string
  description?: string
  featured_image?: string
  blocks?: unknown[]
  post_status?: 'draft' | 'publish' | 'pending'
  categories?: string[]
  tags?: string[]
}

/** A `document.completed` webhook as docs/contract.md describes it, around the blocks a test cares about. */
export function completed(wish: Wish = {}): Record<string, unknown> & { id: string } {
  const title = wish.title ?? 'A document'
  const description = wish.description ?? 'What it is about.'
  return {
    event: 'document.completed',
    id: wish.id ?? randomUUID(),
    status: 'completed',
    data: {
      title,
      description,
      ...(wish.featured_image !== undefined && { featured_image: wish.featured_image }),
      content: {
        type: 'document',
        version: '1.0',
        meta: {
          title,
          ...(wish.slug && { slug: wish.slug }),
          description,
          word_count: 3,
          reading_time: '1 min read',
        },
        content: wish.blocks ?? [
          { type: 'paragraph', content: [{ type: 'text', text: 'Three plain words.' }] },
        ],
      },
      word_count: 3,
      reading_time: '1 min read',
    },
    ...(wish.siteId !== undefined && {
      delivery: {
        id: wish.siteId,
        post_status: wish.post_status ?? 'draft',
        metadata: { categories: wish.categories ?? [], tags: wish.tags ?? [] },
      },
    }),
  }
}
