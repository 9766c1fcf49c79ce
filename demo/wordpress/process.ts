import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { GalleyError } from '../../src/errors.ts'
import { endChild } from '../end-child.ts'
import type { ServerMessage, ServerSettings } from './php/messages.ts'
import type { WordPress } from './types.ts'

const readyWithinMs = 120_000
const gentleStopMs = 5_000

export interface RunningWordPress extends WordPress {
  /** Ends the process and removes its database and uploads. May be called more than once. */
  stop(): Promise<void>
}

/**
 * Starts a new WordPress from the files in `root`, as a process of its own on loopback. It dies with this one.
 * @throws GalleyError `wordpress_not_started`, with what the process said.
 */
export async function startProcess(root: string, port: number): Promise<RunningWordPress> {
  const state = await mkdtemp(join(tmpdir(), 'galley-wordpress-'))
  const child = forkServer({ root, state, port })
  const stop = async () => {
    await endChild(child, gentleStopMs)
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
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk).slice(-2_000)
  })
  const patience = AbortSignal.timeout(readyWithinMs)
  const message = await Promise.race([
    once(child, 'message', { signal: patience }).then(([received]) => received as ServerMessage),
    once(child, 'exit', { signal: patience }).then(([code]): ServerMessage => {
      return { type: 'failed', reason: `its process ended with ${code}. ${said}` }
    }),
  ]).catch((cause) => {
    throw patience.aborted
      ? new Error(`not ready after ${readyWithinMs / 1000} s. ${said}`, { cause })
      : cause
  })
  if (message.type === 'failed') throw new Error(message.reason)
  return message.wordpress
}
