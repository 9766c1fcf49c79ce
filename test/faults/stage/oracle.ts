import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import { type RestItem, rest } from '../../support/wordpress/index.ts'
import type { FaultDocument } from './documents.ts'

/** What became of the acknowledged documents, in Galley's words and in WordPress's. */
export interface Verdict {
  documents: number
  delivered: number
  held: number
  failed: number
  posts: number
  pictures: number
  /** Acknowledged and neither delivered nor held, or delivered and not on the site. */
  lost: string[]
  /** More than one post, or more than one attachment of the picture. */
  doubled: string[]
  /** Delivered, and the post is not the recorded one, or does not say the document's last version. */
  unfinished: string[]
  /** Why each of the held ones is held. */
  holds: string[]
}

interface DeliveryState {
  document_id: string
  status: string
  post_id: number | null
  error: { code: string; message: string } | null
}

/** Resolves when nothing moves any more and no orphan is left to look for. */
export async function atRest(pool: Pool, seconds: number): Promise<void> {
  const deadline = Date.now() + seconds * 1000
  for (;;) {
    const moving = await unsettled(pool)
    if (moving.length === 0) return
    if (Date.now() > deadline)
      throw new Error(`not at rest after ${seconds} s: ${JSON.stringify(moving.slice(0, 5))}`)
    await wait(250)
  }
}

/** Deliveries that are not yet at rest. */
export async function backlog(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    `SELECT count(*)::int AS waiting FROM delivery WHERE status IN ('queued', 'delivering')`,
  )
  return rows[0].waiting
}

async function unsettled(pool: Pool): Promise<unknown[]> {
  try {
    const { rows } = await pool.query(
      `SELECT document_id, status, due_at, error, ambiguous_at FROM delivery
       WHERE status IN ('queued', 'delivering') OR (ambiguous_at IS NOT NULL AND post_id IS NOT NULL)`,
    )
    return rows
  } catch (error) {
    // The database is one of the things that these tests take away.
    return [String(error)]
  }
}

/**
 * The one oracle: acknowledged documents are delivered or held, and each delivered one is exactly one post.
 * @param acknowledged each document once, in its last version
 * @param stands the posts of the run, where they have to be looked for in another way
 */
export async function judge(
  pool: Pool,
  word: string,
  acknowledged: readonly FaultDocument[],
  stands?: RestItem[],
): Promise<Verdict> {
  const { rows } = await pool.query<DeliveryState>('SELECT document_id, status, post_id, error FROM delivery')
  const states = new Map(rows.map((row) => [row.document_id, row]))
  const posts = groupBy(stands ?? (await everyPost(word)), ({ title }) => (title as { raw: string }).raw)
  const pictures = groupBy(await everyPicture(word), ({ alt_text }) => String(alt_text))
  const verdict: Verdict = {
    documents: acknowledged.length,
    delivered: 0,
    held: 0,
    failed: 0,
    posts: sum(posts),
    pictures: sum(pictures),
    lost: [],
    doubled: [],
    unfinished: [],
    holds: [],
  }
  for (const { id, title, alt, says } of acknowledged) {
    const state = states.get(id)
    const found = posts.get(title) ?? []
    if (found.length > 1) verdict.doubled.push(`${title}: posts ${ids(found)}`)
    const shown = pictures.get(alt) ?? []
    if (shown.length > 1) verdict.doubled.push(`${title}: attachments ${ids(shown)}`)
    if (state?.status === 'held') {
      verdict.held += 1
      verdict.holds.push(`${title}: held with ${state.error?.code}: ${state.error?.message}`)
    } else if (state?.status === 'failed') {
      verdict.failed += 1
      verdict.lost.push(`${title}: failed with ${state.error?.code}`)
    } else if (state?.status !== 'delivered' || found.length === 0)
      verdict.lost.push(`${title}: ${state?.status ?? 'no delivery'}, ${found.length} posts`)
    else {
      verdict.delivered += 1
      const [post] = found
      if (post?.id !== state.post_id)
        verdict.unfinished.push(`${title}: post ${post?.id}, recorded ${state.post_id}`)
      else if (!(post.content as { raw: string }).raw.includes(`${says},`))
        verdict.unfinished.push(`${title}: the post does not say “${says}”`)
    }
  }
  return verdict
}

/** Every post that carries the word, in every status of WordPress itself. */
export const everyPost = (word: string): Promise<RestItem[]> =>
  everything(`/wp/v2/posts?status=publish,future,draft,pending,private,trash&search=${word}`)
const everyPicture = (word: string) => everything(`/wp/v2/media?status=inherit,private,trash&search=${word}`)

/** A page beyond the last is an error, an offset is none. */
async function everything(path: string): Promise<RestItem[]> {
  const all: RestItem[] = []
  for (let page = 1; ; page++) {
    const items = await rest<RestItem[]>(
      'administrator',
      'GET',
      `${path}&context=edit&per_page=100&orderby=id&order=asc&offset=${(page - 1) * 100}`,
    )
    all.push(...items)
    if (items.length < 100) return all
  }
}

function groupBy(items: RestItem[], keyOf: (item: RestItem) => string): Map<string, RestItem[]> {
  const groups = new Map<string, RestItem[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

const sum = (groups: Map<string, RestItem[]>): number =>
  [...groups.values()].reduce((n, { length }) => n + length, 0)
const ids = (items: RestItem[]): string => items.map(({ id }) => id).join(', ')
