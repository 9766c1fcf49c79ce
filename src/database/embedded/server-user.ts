import { type ExecFileException, execFile } from 'node:child_process'
import { chmod, chown, lstat, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { promisify } from 'node:util'
import { type GalleyError, operatorError } from '../../errors.ts'
import type { DatabaseLog } from '../client.ts'

const runCommand = promisify(execFile)

export interface ServerUser {
  uid: number
  gid: number
}

const knownAccounts = ['galley', 'postgres']

const accountCreation = [
  '--system',
  '--user-group',
  '--no-create-home',
  '--shell',
  '/usr/sbin/nologin',
  'galley',
]

/** Whom the server must run as; undefined for Galley's own user, which PostgreSQL accepts unless root. */
export async function serverUser(log: DatabaseLog): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  for (const name of knownAccounts) {
    const found = await lookUp(name)
    if (found) return found
  }
  const failure = await runCommand('useradd', accountCreation).then(
    () => undefined,
    (error: Error) => error,
  )
  const made = await lookUp('galley')
  if (made) {
    log.info('Created the system user "galley": PostgreSQL refuses to run as root')
    return made
  }
  log.warn(
    { err: failure },
    'The embedded PostgreSQL runs as "nobody"; create a system user "galley" to keep its data to itself',
  )
  return lookUp('nobody')
}

/** The owner of existing data; the name may differ, since containers renumber users. */
export async function ownerOf(path: string): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = await lstat(path)
  return uid === 0 ? undefined : { uid, gid }
}

/** Whether `user` may enter every folder of `path`, and has the `needed` rights on it. */
export async function canReach(path: string, user: ServerUser, needed = 0o5): Promise<boolean> {
  const { mode, uid, gid } = await stat(path)
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0
  if (((mode >> shift) & needed) !== needed) return false
  const parent = dirname(path)
  return parent === path || canReach(parent, user, 0o1)
}

async function lookUp(name: string): Promise<ServerUser | undefined> {
  const id = async (flag: string) => Number((await runCommand('id', [flag, name])).stdout)
  try {
    return { uid: await id('-u'), gid: await id('-g') }
  } catch {
    return undefined
  }
}

const STICKY = 0o1000

/** Closes the data folder, with the keys of all passwords, to all but the server's user. */
export async function restrictDataFolder(path: string, log: DatabaseLog, user: ServerUser | undefined) {
  const { mode, uid } = await stat(path)
  const ours = uid === process.getuid?.() || uid === user?.uid
  if (!ours || mode & STICKY) {
    log.warn(
      `The data folder ${path} belongs to others too, and was left as it is. Give Galley one of its own (GALLEY_DATA_DIR): it holds the keys to stored passwords.`,
    )
    return
  }
  await restrictTo(path, user && (await canReach(dirname(path), user, 0o1)) ? user : undefined)
}

export async function restrictTo(path: string, user: ServerUser | undefined): Promise<void> {
  if (user !== undefined) await chown(path, user.uid, user.gid)
  await chmod(path, 0o700)
}

const inheritedVariables = ['PATH', 'LD_LIBRARY_PATH', 'TEMP', 'TMP']

/** The environment of PostgreSQL's programs: no secrets, no `PG…` variables, messages in English. */
export function programEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => inheritedVariables.includes(name))
  return { ...Object.fromEntries(kept), LC_ALL: 'C' }
}

/** Runs a PostgreSQL program to its end; its output becomes the error's message. */
export async function runProgram(
  program: string,
  args: string[],
  { user, cwd }: { user: ServerUser | undefined; cwd: string },
): Promise<void> {
  const options = { cwd, uid: user?.uid, gid: user?.gid, env: programEnvironment() }
  await runCommand(program, args, options).catch((error: ExecFileException) => {
    const { stdout = '', stderr = '', signal, code, message } = error
    const output = `${stdout}${stderr}`.trim()
    const reason = output === '' ? message : `${output} (${signal ?? `exit code ${code}`})`
    throw programFailed(program, reason, error)
  })
}

export function programFailed(program: string, reason: string, cause?: unknown): GalleyError {
  const noSpace = reason.split('\n').find((line) => NO_SPACE.test(line))
  return operatorError(
    'embedded_failed',
    `Galley's own PostgreSQL did not start: ${basename(program)} said: ${noSpace ?? reason}. ` +
      (noSpace === undefined
        ? 'If this machine cannot run it (its binaries need glibc, for one), name a PostgreSQL of your own in DATABASE_URL.'
        : 'Free space on the disk of the data folder, and run this again.'),
    cause,
  )
}

const NO_SPACE = /no space left on device/i
