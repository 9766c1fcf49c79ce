import { createHash } from 'node:crypto'
import { chown, lstat, mkdir, readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { GalleyError } from '../../errors.ts'
import type { Log } from '../log.ts'
import { type Binaries, installedBinaries } from './binaries.ts'
import { exists, makeFolder } from './files.ts'
import { createCluster } from './initialise.ts'
import { closeDataFolder, closeFor } from './private-folder.ts'
import { ownerOf, type ServerUser, serverUser } from './server-user.ts'
import { usableBinaries } from './usable-binaries.ts'

/** Where the server's user can reach what lies in a folder of root's that it cannot enter. */
const sharedStore = '/var/lib/galley'

/** Longest path of a socket: 104 bytes with the final NUL on macOS, 108 on Linux. */
const longestSocketPath = 103

/** A PostgreSQL cluster on disk, ready to be started. */
export interface Cluster {
  /** `GALLEY_DATA_DIR`, resolved. */
  dataDir: string
  /** PostgreSQL's own data folder. */
  data: string
  /** Undefined on Windows, which is served over loopback TCP. */
  socketDir: string | undefined
  password: string
  logFile: string
  /** Whom the server runs as; undefined for Galley's own user. */
  user: ServerUser | undefined
  binaries: Binaries
}

/** Finds the cluster of a data folder, making it where there is none. */
export async function openCluster(dataDirAsGiven: string, log: Log): Promise<Cluster> {
  await mkdir(dataDirAsGiven, { recursive: true })
  const dataDir = await realpath(dataDirAsGiven)
  const folder = join(dataDir, 'postgres')
  const home = (await exists(folder)) ? await homeOf(folder) : undefined
  const owner = home === undefined ? undefined : await ownerOf(join(home, 'data'))
  const user = owner ?? (await serverUser(log))
  await closeDataFolder(dataDir, log, user)
  if (home !== undefined) {
    await closeFor(home, user)
    if (home !== folder) await closeFor(folder, undefined)
  }
  const store = user ? sharedStore : dataDir
  const binaries = await usableBinaries(installedBinaries(), user, store, log)
  if (home === undefined) await createCluster({ folder, store, binaries, user, log })

  const place = home ?? (await homeOf(folder))
  return {
    dataDir,
    data: join(place, 'data'),
    socketDir: process.platform === 'win32' ? undefined : await socketFolder(place, user),
    password: await readFile(join(folder, 'password'), 'utf8'),
    logFile: join(folder, 'server.log'),
    user,
    binaries,
  }
}

/** The folder of data and socket: the cluster's own, or the one that it names in a file `location`. */
async function homeOf(folder: string): Promise<string> {
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
    throw new GalleyError({
      code: 'data_folder_unusable',
      message: `${path}, where PostgreSQL's socket belongs, was created by another user (uid ${found.uid}). Remove it, or give Galley another folder with GALLEY_DATA_DIR.`,
      action: 'owner',
    })
  }
  await makeFolder(path, 0o700)
  return path
}
