import { defaultCacheDir } from './cache.ts'
import { type RunningWordPress, startProcess } from './process.ts'
import { waitingFor } from './progress.ts'
import { findTree } from './tree.ts'
import type { Log, WordPress } from './types.ts'
import { versionOf } from './version.ts'

export type { RunningWordPress } from './process.ts'
export { type Log, type Role, roles, type WordPress } from './types.ts'

export interface TreeOptions {
  /** Where WordPress's files are kept between runs; a folder of this clone where nothing is given. */
  cacheDir?: string
  log: Log
}

export interface StartOptions extends TreeOptions {
  /** A free one where nothing is given. */
  port?: number
}

/**
 * WordPress's files alone, without starting anything.
 * @throws GalleyError `wordpress_unavailable`
 */
export async function wordPressTree(options: TreeOptions): Promise<Pick<WordPress, 'root' | 'version'>> {
  const root = await findTree(options.cacheDir ?? (await defaultCacheDir()), options.log)
  return { root, version: await versionOf(root) }
}

/**
 * Starts a real, new WordPress that needs neither PHP nor MySQL nor root: PHP in WASM, the database in SQLite.
 * @throws GalleyError `wordpress_unavailable` or `wordpress_not_started`
 */
export async function startWordPress({ cacheDir, port = 0, log }: StartOptions): Promise<RunningWordPress> {
  const { root } = await wordPressTree({ cacheDir, log })
  return waitingFor('Starting WordPress', log, startProcess(root, port))
}
