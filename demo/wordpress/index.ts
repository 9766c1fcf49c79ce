// A real, new WordPress that needs neither PHP nor MySQL nor root: PHP in WASM, the database in SQLite.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { GalleyError } from '../../src/errors.ts'
import { type Log, waitingFor } from '../output.ts'
import { endChild } from '../processes.ts'
import { defaultCacheDir, findTree, versionOf } from './files.ts'
import type { ServerMessage, ServerSettings } from './php/server.ts'

/** The roles of a new WordPress, from most to least capable. */
export const roles = ['administrator', 'editor', 'author', 'contributor', 'subscriber'] as const
export type Role = (typeof roles)[number]

interface WordPressUser {
  login: string
  /** For the log-in page. */
  password: string
  /** For the REST API, as the password of HTTP basic authentication. */
  applicationPassword: string
}

export interface WordPress {
  /** Without a trailing slash. */
  url: string
  /** As WordPress names it: `7.1.4`. */
  version: string
  /** Absolute path of the WordPress files, the folder that holds `wp-load.php`. */
  root: string
  /** Absolute path of the folder of its must-use plugins: a file there runs without being activated. */
  muPlugins: string
  /** One user for each role. */
  users: Record<Role, WordPressUser>
}

export interface RunningWordPress extends WordPress {
  /** Ends the process and removes its database and uploads. May be called more than once. */
  stop(): Promise<void>
}

interface TreeOptions {
  /** Where WordPress's files are cached; a folder of this clone by default. */
  cacheDir?: string
  log: Log
}

interface StartOptions extends TreeOptions {
  /** Any free one by default. */
  port?: number
}

/**
 * WordPress's files alone, without starting anything.
 *
 * @throws GalleyError `wordpress_unavailable`
 */
export async function wordPressTree(options: TreeOptions): Promise<Pick<WordPress, 'root' | 'version'>> {
  const root = await findTree(options.cacheDir ?? (await defaultCacheDir()), options.log)
  return { root, version: await versionOf(root) }
}

/**
 * Starts a new WordPress.
 *
 * @throws GalleyError `wordpress_unavailable` or `wordpress_not_started`
 */
export async function startWordPress({ cacheDir, port = 0, log }: StartOptions): Promise<RunningWordPress> {
  const { root } = await wordPressTree({ cacheDir, log })
  return waitingFor('Starting WordPress', log, startProcess(root, port))
}

const READY_WITHIN_MS = 120_000
const SHUTDOWN_GRACE_MS = 5_000

/** Serves the files in `root` on loopback, in a process that dies with this one. */
async function startProcess(root: string, port: number): Promise<RunningWordPress> {
  const state = await mkdtemp(join(tmpdir(), 'galley-wordpress-'))
  const child = forkServer({ root, state, port, roles })
  const stop = async () => {
    await endChild(child, SHUTDOWN_GRACE_MS)
    await rm(state, { recursive: true, force: true })
  }
  try {
    return { root, ...(await ready(child)), stop }
  } catch (cause) {
    await stop()
    throw new GalleyError({
      code: 'wordpress_not_started',
      message: `WordPress in ${root} did not start: ${(cause as Error).message}`,
      cause,
    })
  }
}

function forkServer(settings: ServerSettings): ChildProcess {
  const tsx = createRequire(import.meta.url).resolve('tsx')
  return fork(fileURLToPath(new URL('php/server.ts', import.meta.url)), [JSON.stringify(settings)], {
    execArgv: ['--import', pathToFileURL(tsx).href],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}

async function ready(child: ChildProcess) {
  let stderr = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-2_000)
  })
  const signal = AbortSignal.timeout(READY_WITHIN_MS)
  const message = await Promise.race([
    once(child, 'message', { signal }).then(([received]) => received as ServerMessage),
    once(child, 'exit', { signal }).then(([code]): ServerMessage => {
      return { type: 'failed', reason: `its process ended with ${code}. ${stderr}` }
    }),
  ]).catch((cause) => {
    throw signal.aborted
      ? new Error(`not ready after ${READY_WITHIN_MS / 1000} s. ${stderr}`, { cause })
      : cause
  })
  if (message.type === 'failed') throw new Error(message.reason)
  return message.wordpress
}
