import { TERMS } from './documents.ts'
import type { BenchWordPress } from './processor.ts'

/** A post or a file as the site lists it. */
interface Item {
  id: number
  title: { raw: string }
  source_url?: string
}

const STATUSES = { posts: 'publish,future,draft,pending,private,trash', media: 'inherit,private,trash' }

/** WordPress takes no more in one batch, unless a plugin allows it. */
const BATCH = 25

/** The newest post there is: what the benchmark makes has a higher id. */
export async function newestPost(wordpress: BenchWordPress): Promise<number> {
  const [newest] = await list(wordpress, 'posts', 1, 1)
  return newest?.id ?? 0
}

/**
 * Proves that each of these documents became exactly one post.
 *
 * @param above the id of the newest post before
 * @throws where one is missing or doubled, or where a post of no document is left, as a reserved draft would be
 */
export async function requireEachOnce(
  wordpress: BenchWordPress,
  above: number,
  documentIds: readonly string[],
): Promise<void> {
  const titles = (await made(wordpress, 'posts', above)).map(({ title }) => title.raw)
  const wanted = new Set(documentIds.map((id) => `Benchmark ${id}`))
  const found = new Set(titles)
  const missing = [...wanted].filter((title) => !found.has(title)).length
  const foreign = [...found].filter((title) => !wanted.has(title)).length
  const doubled = titles.length - found.size
  if (missing + foreign + doubled > 0)
    throw new Error(
      `Of ${wanted.size} documents ${missing} have no post; ${doubled} posts are doubled, ${foreign} nobody’s`,
    )
}

/** Deletes for good what the benchmark made since. */
export async function removeMade(wordpress: BenchWordPress, above: number): Promise<void> {
  const posts = await made(wordpress, 'posts', above)
  for (let from = 0; from < posts.length; from += BATCH) {
    const requests = posts
      .slice(from, from + BATCH)
      .map(({ id }) => ({ method: 'DELETE', path: `/wp/v2/posts/${id}?force=true` }))
    await rest(wordpress, 'POST', '/batch/v1', { requests })
  }
  for (const { id } of await made(wordpress, 'media', above))
    await rest(wordpress, 'DELETE', `/wp/v2/media/${id}?force=true`)
}

/** Deletes the terms that the documents brought. */
export async function removeTerms(wordpress: BenchWordPress): Promise<void> {
  for (const [taxonomy, name] of Object.entries(TERMS)) {
    const path = `/wp/v2/${taxonomy}?search=${encodeURIComponent(name)}`
    const found = await rest<{ id: number; name: string }[]>(wordpress, 'GET', path)
    for (const term of found.filter((candidate) => candidate.name === name))
      await rest(wordpress, 'DELETE', `/wp/v2/${taxonomy}/${term.id}?force=true`)
  }
}

/** What the benchmark made, by its title or its file name, with an id above this one. */
async function made(wordpress: BenchWordPress, kind: 'posts' | 'media', above: number): Promise<Item[]> {
  const found: Item[] = []
  for (let page = 1; ; page += 1) {
    const items = await list(wordpress, kind, 100, page)
    found.push(...items.filter((item) => item.id > above && isOurs(item)))
    if (items.length < 100 || (items.at(-1)?.id ?? 0) <= above) return found
  }
}

const isOurs = ({ title, source_url: address }: Item): boolean =>
  address === undefined ? title.raw.startsWith('Benchmark ') : /\/benchmark-[^/]*$/.test(address)

const list = (
  wordpress: BenchWordPress,
  kind: 'posts' | 'media',
  perPage: number,
  page: number,
): Promise<Item[]> =>
  rest(
    wordpress,
    'GET',
    `/wp/v2/${kind}?context=edit&status=${STATUSES[kind]}&orderby=id&order=desc&per_page=${perPage}&page=${page}&_fields=id,title,source_url`,
  )

/** One call of the REST API past Galley, below `/wp-json`. @throws unless it succeeded */
export async function rest<Answer>(
  { url, username, applicationPassword }: BenchWordPress,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  data?: object,
): Promise<Answer> {
  const response = await fetch(`${url}/wp-json${path}`, {
    method,
    headers: { authorization: basic({ username, applicationPassword }), 'content-type': 'application/json' },
    body: data === undefined ? null : JSON.stringify(data),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
  return JSON.parse(text) as Answer
}

/** The header that names a user by an application password. */
export const basic = ({
  username,
  applicationPassword,
}: Pick<BenchWordPress, 'username' | 'applicationPassword'>): string =>
  `Basic ${Buffer.from(`${username}:${applicationPassword}`).toString('base64')}`
