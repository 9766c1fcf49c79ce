import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Pool } from 'pg'
import { article } from '../support/webhook.ts'

/** The terms of every document here, which no other site would have. */
export const TERMS = { categories: 'Galley benchmark', tags: 'galley-benchmark' } as const

export interface DocumentRequested {
  webhook: URL
  siteId: string
  /** Address of the picture of a document; none unless given. */
  picture?: ((documentId: string) => string) | undefined
}

/** Sends a new document. @returns its id */
export async function send({ webhook, siteId, picture }: DocumentRequested): Promise<string> {
  const documentId = randomUUID()
  const body = article({
    siteId,
    documentId,
    categories: [TERMS.categories],
    tags: [TERMS.tags],
    post_status: 'publish',
    ...(picture && { picture: picture(documentId) }),
  })
  const response = await fetch(webhook, { method: 'POST', body: JSON.stringify(body) })
  await response.arrayBuffer()
  if (response.status !== 202) throw new Error(`Galley answered ${response.status} instead of 202`)
  return documentId
}

const WITHIN_MS = 600_000

/**
 * Waits until all of these documents have their posts.
 *
 * @param pollMs milliseconds between two polls, which take time of the same processors
 * @returns when the last was settled, in milliseconds since 1970; the database runs on the same clock
 * @throws where one is held or given up
 */
export async function allDelivered(
  pool: Pool,
  documentIds: readonly string[],
  pollMs = 100,
): Promise<number> {
  for (const deadline = Date.now() + WITHIN_MS; ; ) {
    const { rows } = await pool.query<{ settled: number; last: number; stuck: string | null }>(
      `SELECT count(*) FILTER (WHERE status = 'delivered')::int AS settled,
         (extract(epoch FROM max(updated_at)) * 1000)::float8 AS last,
         max(error ->> 'message') FILTER (WHERE status IN ('held', 'failed')) AS stuck
       FROM delivery WHERE document_id = ANY($1)`,
      [documentIds],
    )
    const { settled = 0, last = 0, stuck = null } = rows[0] ?? {}
    if (stuck !== null) throw new Error(`A document was not delivered: ${stuck}`)
    if (settled === documentIds.length) return last
    if (Date.now() > deadline)
      throw new Error(`${documentIds.length - settled} documents have no post in time`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

const photograph = readFileSync(new URL('../../demo/pictures/moon-over-the-bay.jpg', import.meta.url))

/** What the pictures are, for whoever reads the figures. */
export const PICTURE = `a JPEG of 1536 × 1024, ${Math.round(photograph.length / 1_000)} kB`

/** A photograph that differs from every other by a comment in it: no two documents share a file. */
export function pictureOf(documentId: string): Buffer {
  const text = Buffer.from(documentId)
  const comment = Buffer.from([0xff, 0xfe, 0, text.length + 2])
  // Behind the two bytes with which every JPEG begins.
  return Buffer.concat([photograph.subarray(0, 2), comment, text, photograph.subarray(2)])
}

export interface Pictures {
  addressOf(documentId: string): string
  close(): void
}

/** Serves the picture of every document, on loopback. */
export async function servePictures(): Promise<Pictures> {
  const server = createServer((request, response) => {
    const bytes = pictureOf(request.url?.slice(1, -'.jpg'.length) ?? '')
    response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': bytes.length }).end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    addressOf: (documentId) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${documentId}.jpg`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
