import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { settingNames } from '../src/config.ts'
import { GalleyError } from '../src/errors.ts'
import { type Call, createApi } from './api.ts'
import { endChild, hasEnded } from './end-child.ts'
import { freePort } from './loopback.ts'

const clone = fileURLToPath(new URL('..', import.meta.url))
const program = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const readyWithinMs = 60_000
/** It finishes what is under way before it goes. */
const gentleStopMs = 30_000

export interface GalleyProcess {
  name: 'Galley'
  url: string
  call: Call
  stop(): Promise<void>
}

/**
 * Starts Galley as its user would, with a data folder of the demo's own.
 * @param allowPrivate Hosts on private addresses that it may connect to.
 * @param more Settings besides those of every demo.
 * @throws GalleyError `galley_not_built`, or `galley_not_started` with what it said.
 */
export async function startGalley(
  allowPrivate: string[],
  more: Record<string, string> = {},
): Promise<GalleyProcess> {
  if (!existsSync(program)) {
    throw new GalleyError({
      code: 'galley_not_built',
      message: 'Galley is not built yet: run `npm run build`.',
    })
  }
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const key = `gly_sk_${randomBytes(24).toString('hex')}`
  const settings = {
    GALLEY_DATA_DIR: process.env.GALLEY_DEMO_DATA_DIR ?? '.cache/demo',
    PORT: String(port),
    // Files that it makes are read where it is, and port 8080 may be another's.
    PUBLIC_URL: url,
    GALLEY_ADMIN_KEY: key,
    GALLEY_ALLOW_PRIVATE: allowPrivate.join(','),
    LOG_LEVEL: 'warn',
    ...more,
  }
  const child = spawn(process.execPath, [program], {
    cwd: clone,
    env: { ...process.env, ...unset, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C reaches a whole process group; this one ends when the demo has used it for the last time
    detached: true,
  })
  const stop = () => endChild(child, gentleStopMs)
  await ready(child, url).catch(async (cause: Error) => {
    await stop()
    throw new GalleyError({
      code: 'galley_not_started',
      message: `Galley did not start. ${cause.message}`,
      cause,
    })
  })
  return { name: 'Galley', url, call: createApi(url, key), stop }
}

/** Empty counts as not set: the settings of somebody's real Galley, in the environment or `.env`, stay out. */
const unset = Object.fromEntries(settingNames.map((name) => [name, '']))

async function ready(child: ChildProcess, url: string): Promise<void> {
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said = (said + chunk).slice(-2_000)
    })
  }
  const deadline = Date.now() + readyWithinMs
  while (Date.now() < deadline) {
    if (hasEnded(child)) throw new Error(said.trim())
    if (await answers(`${url}/readyz`)) return
    await sleep(100)
  }
  throw new Error(`It was not ready after ${readyWithinMs / 1000} s. ${said.trim()}`)
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}
