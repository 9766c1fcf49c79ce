import { spawn } from 'node:child_process'
import { basename } from 'node:path'
import { GalleyError } from '../../errors.ts'
import type { ServerUser } from './server-user.ts'

export interface ProgramOptions {
  user: ServerUser | undefined
  cwd: string
}

/** What the programs need to run at all, on Unix and on Windows. */
const passedOn = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'TEMP', 'TMP']

/**
 * What PostgreSQL's programs see of our environment: none of our secrets, nothing that would configure them behind our
 * back (`PGPORT`, `PGDATA`, …), and messages in English.
 */
export function programEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => passedOn.includes(name))
  return { ...Object.fromEntries(kept), LC_ALL: 'C' }
}

/** Runs one of PostgreSQL's programs to its end; what it printed is the error's message when it fails. */
export async function runProgram(
  program: string,
  args: string[],
  { user, cwd }: ProgramOptions,
): Promise<void> {
  const child = spawn(program, args, {
    cwd,
    uid: user?.uid,
    gid: user?.gid,
    env: programEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(String(chunk)))
  await new Promise<void>((resolve, reject) => {
    child.on('error', (cause) => reject(programFailed(program, cause.message, cause)))
    child.on('close', (code, signal) => {
      if (code === 0) resolve()
      else reject(programFailed(program, `${output.join('').trim()} (${signal ?? `exit code ${code}`})`))
    })
  })
}

/** For when a program of PostgreSQL's does not do what it should; `reason` is what it said. */
export function programFailed(program: string, reason: string, cause?: unknown): GalleyError {
  const noSpace = reason.split('\n').find((line) => NO_SPACE.test(line))
  return new GalleyError({
    code: 'embedded_failed',
    message:
      `Galley's own PostgreSQL did not start: ${basename(program)} said: ${noSpace ?? reason}. ` +
      (noSpace === undefined
        ? 'If this machine cannot run it (its binaries need glibc, for one), name a PostgreSQL of your own in DATABASE_URL.'
        : 'Free space on the disk of the data folder, and run this again.'),
    action: 'owner',
    cause,
  })
}

const NO_SPACE = /no space left on device/i
