import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { article } from '../support/webhook.ts'

/** The terms of every document here, which no other site would have. */
export const TERMS = { categories: 'Galley benchmark', tags: 'galley-benchmark' } as const

interface Order {
  pool: Pool
  webhook: URL
  siteId: string
  documents: number
}

const WITHIN_MS = 180_000

/** Looking takes time of the same processors. When a delivery ended, the database knows to the millisecond. */
const LOOK_MS = 250

/**
 * Sends so many documents at once and waits until all have their posts.
 *
 * @returns posts a second, from the first webhook to the last delivery
 * @throws where one is not delivered
 */
export async function deliverAll({ pool, webhook, siteId, documents }: Order): Promise<number> {
  const ids = Array.from({ length: documents }, () => randomUUID())
  const began = Date.now()
  await Promise.all(ids.map((documentId) => send(webhook, siteId, documentId)))
  for (const deadline = began + WITHIN_MS; ; await sleep(LOOK_MS)) {
    const { settled, last, stuck } = await progress(pool, ids)
    if (stuck !== null) throw new Error(`A document was not delivered: ${stuck}`)
    if (settled === documents) return (documents * 1_000) / (last - began)
    if (Date.now() > deadline) throw new Error(`${documents - settled} documents have no post in time`)
  }
}

async function send(webhook: URL, siteId: string, documentId: string): Promise<void> {
  const wish = { categories: [TERMS.categories], tags: [TERMS.tags], post_status: 'publish' as const }
  const body = JSON.stringify(article({ siteId, documentId, ...wish }))
  const response = await fetch(webhook, { method: 'POST', body })
  await response.arrayBuffer()
  if (response.status !== 202) throw new Error(`Galley answered ${response.status} instead of 202`)
}

interface Progress {
  settled: number
  /** When the last of them was settled, in milliseconds since 1970; the database runs on the same clock. */
  last: number
  /** What one says that will not be delivered by itself, or was not at once. */
  stuck: string | null
}

async function progress(pool: Pool, ids: string[]): Promise<Progress> {
  const { rows } = await pool.query<Progress>(
    `SELECT count(*) FILTER (WHERE status = 'delivered')::int AS settled,
       (extract(epoch FROM max(updated_at)) * 1000)::float8 AS last, max(error ->> 'message') AS stuck
     FROM delivery WHERE document_id = ANY($1)`,
    [ids],
  )
  return rows[0] as Progress
}
