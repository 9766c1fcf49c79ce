import { GalleyError } from '../../src/errors.ts'
import { cachedTree, keepTree } from './cache.ts'
import { unpackDebianWordPress } from './debian.ts'
import { waitingFor } from './progress.ts'
import type { Log } from './types.ts'
import { downloadWordPress } from './wordpress-org.ts'

const sources = [
  { name: 'wordpress.org', take: (work: string) => downloadWordPress(work) },
  { name: 'Debian', take: unpackDebianWordPress },
]

/**
 * WordPress's files: those kept in `cacheDir`, else from wordpress.org, else from Debian's package.
 * @returns the folder that holds `wp-load.php`
 * @throws GalleyError `wordpress_unavailable`, with what each source said.
 */
export async function findTree(cacheDir: string, log: Log): Promise<string> {
  const kept = await cachedTree(cacheDir)
  if (kept) return kept
  const failures: Error[] = []
  for (const { name, take } of sources) {
    try {
      return await waitingFor(`Fetching WordPress from ${name}`, log, keepTree(cacheDir, take))
    } catch (error) {
      log(`No WordPress from ${name}: ${(error as Error).message}`)
      failures.push(error as Error)
    }
  }
  throw new GalleyError({
    code: 'wordpress_unavailable',
    message:
      'WordPress can be had from nowhere: its files are neither in the cache, nor on wordpress.org, nor in a Debian ' +
      `package. Unpack a WordPress to ${cacheDir}/VERSION, so that ${cacheDir}/VERSION/wp-load.php exists, or use a ` +
      'WordPress that is running already.',
    details: failures.map(({ message }) => message),
    cause: new AggregateError(failures),
  })
}
