import { randomBytes } from 'node:crypto'
import { chown, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { hasCode } from '../../errno.ts'
import type { Log } from '../log.ts'
import type { Binaries } from './binaries.ts'
import { exists, makeFolder, syncFolder } from './files.ts'
import { isAlive } from './postmaster.ts'
import { runProgram } from './programs.ts'
import { canReach, type ServerUser } from './server-user.ts'

export interface NewCluster {
  /** The folder to be made. */
  folder: string
  /** Where the data go when `user` cannot reach them in `folder`. */
  store: string
  binaries: Binaries
  user: ServerUser | undefined
  log: Log
}

/**
 * Makes a cluster under another name and then renames it, so that it is there whole or not at all, and of two that
 * begin at the same instant one wins.
 */
export async function createCluster({ folder, store, binaries, user, log }: NewCluster): Promise<void> {
  log.info(`Making a database in ${folder}`)
  const id = randomBytes(6).toString('hex')
  const building = `${folder}.new-${process.pid}-${id}`
  await makeFolder(building, user ? 0o755 : 0o700)

  const elsewhere = user !== undefined && !(await canReach(building, user))
  const home = elsewhere ? join(store, id) : building
  try {
    if (elsewhere) {
      await makeFolder(home, 0o755)
      await writeFile(join(building, 'location'), home, { flush: true })
    }
    await initialise(home, join(building, 'password'), binaries, user)
    await rename(building, folder)
    await syncFolder(dirname(folder))
  } catch (error) {
    await remove(building)
    // Another Galley was first: its cluster is as good.
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
  }
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
  // initdb reads the password as the user it runs as.
  const handed = join(home, 'handed-password')
  await writeFile(handed, password, { mode: 0o600 })
  if (user) {
    await chown(data, user.uid, user.gid)
    await chown(handed, user.uid, user.gid)
  }
  await runProgram(
    binaries.initdb,
    [
      ...['--pgdata', data, '--username', 'galley', '--pwfile', handed, '--auth', 'scram-sha-256'],
      ...[
        '--encoding',
        'UTF8',
        '--locale',
        'C',
        '--locale-provider',
        'builtin',
        '--builtin-locale',
        'C.UTF-8',
      ],
      '--no-instructions',
    ],
    { user, cwd: data },
  )
  await rm(handed)
}

/** Removes what a Galley left behind that was killed while making this cluster. */
export async function removeAbandoned(folder: string): Promise<void> {
  const prefix = `${basename(folder)}.new-`
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(prefix)) continue
    const pid = Number(name.slice(prefix.length).split('-')[0])
    if (!isAlive(pid)) await remove(join(dirname(folder), name))
  }
}

async function remove(building: string): Promise<void> {
  const location = join(building, 'location')
  if (await exists(location)) await rm(await readFile(location, 'utf8'), { recursive: true, force: true })
  await rm(building, { recursive: true, force: true })
}
