import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Role, WordPress } from '../../../demo/wordpress/index.ts'
import type { SiteConnection } from '../../../src/wordpress/types.ts'
import { startFaultProxy, withHeaders } from '../proxy/index.ts'
// with the declaration of what is provided
import type {} from './global-setup.ts'

export type { Role } from '../../../demo/wordpress/index.ts'

/** What Galley needs to speak to it as a user of that role. */
export function connectionAs(role: Role): SiteConnection {
  const { url, users } = wordpress()
  const { login, applicationPassword } = users[role]
  return { name: new URL(url).host, restRoot: `${url}/wp-json/`, username: login, applicationPassword }
}

/** The real WordPress of this worker. Its other test files use it too: name what you make, and remove it. */
export function wordpress(): WordPress {
  const provided = inject('wordpresses') as ReturnType<typeof inject<'wordpresses'>> | undefined
  if (provided === undefined)
    throw new Error('There is no WordPress for a file whose name names none: call it x.wordpress.test.ts')
  const { running, claims } = provided
  const own = claimForProcess(running, claims)
  if (own === undefined)
    throw new Error(`Each WordPress is a worker's already; process ${process.pid} has none`)
  return own
}

/**
 * One of `things` that no other process has, the same one every time. vitest's own number of a worker cannot tell two
 * of them apart: where the last file of a project ran in worker 1, both workers of the next project are worker 1
 * (4.1.12 sets that number free after the next project took it).
 * @param folder Holds a file for each claim; empty in the beginning.
 */
export function claimForProcess<Thing>(
  things: readonly Thing[],
  folder: string,
  owner = process.pid,
): Thing | undefined {
  return things.find((_, index) => take(join(folder, String(index)), String(owner)))
}

function take(file: string, owner: string): boolean {
  try {
    writeFileSync(file, owner, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readFileSync(file, 'utf8') === owner
  }
}

/** A post or an attachment as `context=edit` shows it. */
export interface RestItem {
  id: number
  slug: string
  status: string
  [field: string]: unknown
}

const everyStatus = 'publish,future,draft,pending,private,trash'

/**
 * One REST call past all of Galley's own code, so that tests see the site as it is.
 * @param path Below `/wp-json`, with its query.
 * @throws where the answer is not a success, with what WordPress said.
 */
export async function rest<Answer>(role: Role, method: string, path: string, body?: object): Promise<Answer> {
  const { url, users } = wordpress()
  const { login, applicationPassword } = users[role]
  const response = await fetch(`${url}/wp-json${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${login}:${applicationPassword}`).toString('base64')}`,
      'content-type': 'application/json',
      // One kept alive may be closed by the server at the moment a test, busy until then, uses it again.
      connection: 'close',
    },
    body: body && JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} as ${role}: ${response.status} ${text.slice(0, 500)}`)
  return JSON.parse(text) as Answer
}

/** Posts in every status, the trash included, that match `query`, e.g. `search=Harbour` or `slug=a,b`. */
export function findPosts(query: string): Promise<RestItem[]> {
  return rest('administrator', 'GET', `/wp/v2/posts?context=edit&per_page=100&status=${everyStatus}&${query}`)
}

/** Attachments that match `query`, e.g. `parent=12`. */
export function findMedia(query: string): Promise<RestItem[]> {
  return rest(
    'administrator',
    'GET',
    `/wp/v2/media?context=edit&per_page=100&status=inherit,private,trash&${query}`,
  )
}

/** Deletes for good, past the trash. */
export async function removePost(id: number): Promise<void> {
  await rest('administrator', 'DELETE', `/wp/v2/posts/${id}?force=true`)
}

/** Deletes the attachment and its files. */
export async function removeMedia(id: number): Promise<void> {
  await rest('administrator', 'DELETE', `/wp/v2/media/${id}?force=true`)
}

/** Deletes a category or a tag. */
export async function removeTerm(taxonomy: 'categories' | 'tags', id: number): Promise<void> {
  await rest('administrator', 'DELETE', `/wp/v2/${taxonomy}/${id}?force=true`)
}

/** Deletes every post, file, category and tag that carries the word, in one request. */
export const removeAll = (word: string): Promise<void> => cleanUp(`word=${word}`)

/** Deletes posts of any type, with their files, in one request. */
export async function removePosts(ids: Iterable<number>): Promise<void> {
  const list = [...ids].join(',')
  if (list) await cleanUp(`ids=${list}`)
}

async function cleanUp(query: string): Promise<void> {
  const removePlugin = addPlugin('galley-test-clean')
  try {
    await rest('administrator', 'DELETE', `/galley-test/v1/made?${query}`)
  } finally {
    removePlugin()
  }
}

/** @returns removes it again */
function addPlugin(name: string): () => void {
  const { muPlugins } = wordpress()
  mkdirSync(muPlugins, { recursive: true })
  const plugin = join(muPlugins, `${name}-${randomUUID()}.php`)
  copyFileSync(new URL(`../../wordpress/${name}.php`, import.meta.url), plugin)
  return () => rmSync(plugin, { force: true })
}

/** The WordPress of this run at an address of its own, where it behaves as some plugin makes it. */
export interface MisbehavingSite {
  url: string
  close(): Promise<void>
}

const PLUGINS = ['galley-test', 'galley-test-siblings']

/** @param how as test/wordpress/galley-test.php or galley-test-siblings.php names it, or several with commas */
export async function misbehavingSite(how: string): Promise<MisbehavingSite> {
  const removals = PLUGINS.map(addPlugin)
  const proxy = await startFaultProxy(wordpress().url, { rewriteUrls: true })
  proxy.rule({}, withHeaders({ 'x-galley-test': how }))
  return {
    url: proxy.url,
    async close() {
      for (const removePlugin of removals) removePlugin()
      await proxy.close()
    },
  }
}
