import { execFile } from 'node:child_process'
import { lstat, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { Log } from '../log.ts'

const run = promisify(execFile)

/** The system account that the server runs as. */
export interface ServerUser {
  uid: number
  gid: number
}

/** Accounts that may already be there; `galley` is the one we would make. */
const existing = ['galley', 'postgres']

/** shadow's command (Debian, Fedora, …), then BusyBox's. */
const creation: [command: string, args: string[]][] = [
  ['useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'galley']],
  ['adduser', ['-S', '-D', '-H', '-s', '/sbin/nologin', 'galley']],
]

/**
 * Who the server must run as: undefined for Galley's own user, which is right everywhere but for root, whom
 * PostgreSQL refuses.
 */
export async function serverUser(log: Log): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  for (const name of existing) {
    const found = await lookUp(name)
    if (found) return found
  }
  const failures: string[] = []
  for (const [command, args] of creation) {
    await run(command, args).catch((error: Error) => failures.push(error.message))
    const made = await lookUp('galley')
    if (made) {
      log.info('Created the system user "galley": PostgreSQL refuses to run as root')
      return made
    }
  }
  log.warn(
    { failures },
    'The embedded PostgreSQL runs as "nobody"; create a system user "galley" to keep its data to itself',
  )
  return lookUp('nobody')
}

/** The owner of data that exists already, whoever that is by name: containers renumber their users. */
export async function ownerOf(path: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = await lstat(path)
  return uid === 0 ? undefined : { uid, gid }
}

/** Whether `user` may enter every folder on the way to `path`, and read and run what lies there. */
export async function canReach(path: string, user: ServerUser, needed = 0o5): Promise<boolean> {
  const { mode, uid, gid } = await stat(path)
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0
  if (((mode >> shift) & needed) !== needed) return false
  const parent = dirname(path)
  return parent === path || canReach(parent, user, 0o1)
}

async function lookUp(name: string): Promise<ServerUser | undefined> {
  const id = async (flag: string) => Number((await run('id', [flag, name])).stdout)
  try {
    return { uid: await id('-u'), gid: await id('-g') }
  } catch {
    // `id` exits with 1 for a name that nobody has.
    return undefined
  }
}
