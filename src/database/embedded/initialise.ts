import { randomBytes } from 'node:crypto'
import { chown, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Log } from '../log.ts'
import type { Binaries } from './binaries.ts'
import { buildOnce } from './build-once.ts'
import { makeFolder } from './files.ts'
import { closeFor } from './private-folder.ts'
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

/** Makes a cluster: the data, the password, and where the data are if not here. */
export async function createCluster({ folder, store, binaries, user, log }: NewCluster): Promise<void> {
  await buildOnce(folder, async (unfinished) => {
    log.info(`Creating a database in ${folder}`)
    await makeFolder(unfinished, 0o700)
    const elsewhere = user !== undefined && !(await canReach(dirname(folder), user, 0o1))
    const home = elsewhere ? join(store, randomBytes(6).toString('hex')) : unfinished
    if (elsewhere) {
      await makeFolder(store, 0o755)
      await makeFolder(home, 0o700)
      await writeFile(join(unfinished, 'location'), home, { flush: true })
    }
    await closeFor(home, user)
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
  // initdb reads the password as the user it runs as.
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
    // Unicode without the operating system's tables, which change under an index when the system is upgraded.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ]
  await runProgram(binaries.initdb, args, { user, cwd: data })
  await rm(handed)
}
