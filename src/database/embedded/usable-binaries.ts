import { lstat, readFile, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { hasCode } from '../../errno.ts'
import type { Log } from '../log.ts'
import { type Binaries, binariesIn, platformName } from './binaries.ts'
import { buildOnce } from './build-once.ts'
import { copyReadable, exists, makeFolder } from './files.ts'
import { canReach, type ServerUser } from './server-user.ts'

/**
 * Makes the installed binaries fit to run as `user`: complete with the links between their libraries, which npm
 * cannot pack, and where that user can read them. Where npm's folder does not allow that (it belongs to somebody
 * else, or lies under a home that nobody may enter) they are copied, once, into `store`.
 */
export async function usableBinaries(
  installed: Binaries,
  user: ServerUser | undefined,
  store: string,
  log: Log,
): Promise<Binaries> {
  const reachable = !user || (await canReach(installed.postgres, user))
  if (reachable && (await linkLibraries(installed.folder))) return installed

  const copy = join(store, `postgresql-${installed.version}-${platformName()}`)
  if (user) await makeFolder(store, 0o755)
  await buildOnce(copy, async (unfinished) => {
    log.info(`Copying PostgreSQL to ${copy}, where the user that it runs as can read it`)
    await copyReadable(installed.folder, unfinished)
    await linkLibraries(unfinished)
  })
  return binariesIn(copy, installed.version)
}

/**
 * Makes the links that the package lists, as its own install script does where npm lets it run.
 * False where they are missing and we may not make them.
 */
async function linkLibraries(folder: string): Promise<boolean> {
  const list = join(folder, 'pg-symlinks.json')
  if (!(await exists(list))) return true
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    // Both are given relative to the package, in which this folder is called `native`.
    const path = join(folder, relative('native', target))
    const present = await lstat(path).then(
      () => true,
      () => false,
    )
    if (present) continue
    try {
      await symlink(relative(dirname(target), source), path)
    } catch (error) {
      if (hasCode(error, 'EACCES', 'EPERM', 'EROFS')) return false
      if (!hasCode(error, 'EEXIST')) throw error
    }
  }
  return true
}
