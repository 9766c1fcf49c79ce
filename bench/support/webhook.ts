import { randomUUID } from 'node:crypto'
import { completed } from '../../test/support/webhooks.ts'

export interface WebhookRequested {
  siteId: string
  /** A new one unless given. */
  documentId?: string
  categories?: string[]
  tags?: string[]
  /** Address of one that stands behind the first part; none unless given. */
  picture?: string
  post_status?: 'draft' | 'publish'
}

/**
 * A `document.completed` webhook of about 12 KB: some 900 words under five headings, with a list, a table, a
 * quote and code.
 */
export function article({
  siteId,
  documentId = randomUUID(),
  picture,
  ...requested
}: WebhookRequested): Record<string, unknown> {
  return completed({
    id: documentId,
    siteId,
    title: `Benchmark ${documentId}`,
    slug: `benchmark-${documentId}`,
    blocks: [
      ...section(1),
      ...(picture === undefined
        ? []
        : [{ type: 'image', url: picture, alt: 'Benchmark: the moon over the bay' }]),
      ...[2, 3, 4, 5].flatMap(section),
    ],
    ...requested,
  })
}

const SENTENCE =
  'The tide reaches the inner harbour forty minutes after it has turned at the mouth, and the boats follow it. '

const paragraph = (sentences: number) => ({
  type: 'paragraph',
  content: [
    { type: 'text', text: SENTENCE.repeat(sentences) },
    { type: 'bold', text: 'Mind the bar at low water' },
    { type: 'text', text: ', as ' },
    { type: 'link', text: 'the pilot book', url: 'https://example.com/pilot?chapter=3&page=12' },
    { type: 'text', text: ' says.' },
  ],
})

const section = (number: number) => [
  { type: 'heading', level: 2, text: `Part ${number}: what the table says` },
  paragraph(6),
  { type: 'list', ordered: number % 2 === 0, items: ['High water', 'Low water', 'Neaps', 'Springs'] },
  paragraph(6),
  {
    type: 'table',
    headers: ['Day', 'High', 'Low'],
    rows: [
      ['Monday', '04:12', '10:31'],
      ['Tuesday', '05:01', '11:20'],
    ],
  },
  { type: 'quote', value: 'Time and tide wait for no one.' },
  { type: 'code_block', language: 'ts', value: 'const height = (hour: number) => Math.cos(hour / 2)' },
]

/** Makes distinct webhooks fast: one article, into whose bytes the ids are written. */
export function articleStencil(siteIds: readonly string[]): () => Buffer {
  const marks = {
    document: '00000000-0000-4000-8000-00000000000d',
    site: '00000000-0000-4000-8000-00000000000e',
  }
  const text = JSON.stringify(article({ siteId: marks.site, documentId: marks.document }))
  const stencil = Buffer.from(text)
  const documentAt = [...text.matchAll(new RegExp(marks.document, 'g'))].map(({ index }) => index)
  const siteAt = text.indexOf(marks.site)
  let made = 0
  return () => {
    const body = Buffer.from(stencil)
    const documentId = randomUUID()
    for (const at of documentAt) body.write(documentId, at, 'latin1')
    body.write(siteIds[made % siteIds.length] as string, siteAt, 'latin1')
    made += 1
    return body
  }
}
