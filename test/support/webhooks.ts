import { randomUUID } from 'node:crypto'

interface Requested {
  id?: string
  siteId?: string
  title?: string
  slug?: string
  description?: string
  featured_image?: string
  blocks?: unknown[]
  post_status?: 'draft' | 'publish' | 'pending'
  categories?: string[]
  /** Other members of `delivery.metadata`. */
  metadata?: object
  tags?: string[]
}

/** A `document.completed` webhook as docs/contract.md describes it, around the blocks a test cares about. */
export function completed(requested: Requested = {}): Record<string, unknown> & { id: string } {
  const title = requested.title ?? 'A document'
  const description = requested.description ?? 'What it is about.'
  return {
    event: 'document.completed',
    id: requested.id ?? randomUUID(),
    status: 'completed',
    data: {
      title,
      description,
      ...(requested.featured_image !== undefined && { featured_image: requested.featured_image }),
      content: {
        type: 'document',
        version: '1.0',
        meta: {
          title,
          ...(requested.slug && { slug: requested.slug }),
          description,
          word_count: 3,
          reading_time: '1 min read',
        },
        content: requested.blocks ?? [
          { type: 'paragraph', content: [{ type: 'text', text: 'Three plain words.' }] },
        ],
      },
      word_count: 3,
      reading_time: '1 min read',
    },
    ...(requested.siteId !== undefined && {
      delivery: {
        id: requested.siteId,
        post_status: requested.post_status ?? 'draft',
        metadata: {
          categories: requested.categories ?? [],
          tags: requested.tags ?? [],
          ...requested.metadata,
        },
      },
    }),
  }
}
