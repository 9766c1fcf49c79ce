import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { GalleyError } from '../src/errors.ts'
import { endChild, hasEnded } from './end-child.ts'
import { freePort } from './loopback.ts'

const clone = fileURLToPath(new URL('..', import.meta.url))
const program = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const readyWithinMs = 60_000
/** It finishes what is under way before it goes. */
const gentleStopMs = 30_000

export interface GalleyProcess {
  url: string
  /** One call of its API; answers the body's `data`, or the whole body where it has none. */
  call<Answer>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer>
  stop(): Promise<void>
}

/**
 * Starts Galley as its user would, with a data folder of its own.
 * @param allowPrivate Hosts on private addresses that it may connect to.
 * @throws GalleyError `galley_not_built`, or `galley_not_started` with what it said.
 */
export async function startGalley(allowPrivate: string[]): Promise<GalleyProcess> {
  if (!existsSync(program)) {
    throw new GalleyError({
      code: 'galley_not_built',
      message: 'Galley is not built yet: run `npm run build`.',
    })
  }
  const key = `gly_sk_${randomBytes(24).toString('hex')}`
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, [program], {
    cwd: clone,
    env: {
      ...process.env,
      GALLEY_DATA_DIR: process.env.GALLEY_DATA_DIR ?? '.cache/demo',
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: url,
      GALLEY_ADMIN_KEY: key,
      GALLEY_ALLOW_PRIVATE: allowPrivate.join(','),
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
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
  return { url, call: (method, path, body) => call(url, key, method, path, body), stop }
}

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

async function call<Answer>(
  url: string,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  const answer = await response.json()
  if (!response.ok) throw new GalleyError(answer.error)
  return answer.data ?? answer
}
