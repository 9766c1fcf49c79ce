import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { settingNames } from '../src/config/settings.ts'
import { GalleyError } from '../src/errors.ts'
import { endChild, freePort, hasEnded } from './processes.ts'

const project = fileURLToPath(new URL('..', import.meta.url))
const program = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const READY_WITHIN_MS = 60_000
/** It finishes what is under way before it ends. */
const SHUTDOWN_GRACE_MS = 30_000

/** Calls Galley's API and returns the `data` of the body, or the whole body where it has none or `part` wants it. */
export type Call = <Answer>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
  part?: 'data' | 'whole',
) => Promise<Answer>

export interface GalleyProcess {
  name: 'Galley'
  url: string
  call: Call
  stop(): Promise<void>
}

/**
 * Starts the built Galley as its user would, with a data folder for demos.
 *
 * @param allowPrivate hosts on private addresses that it may connect to
 * @param more settings besides those of every demo
 * @throws GalleyError `galley_not_built`, or `galley_not_started` with its output
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
    // the files that it makes are read at this address
    PUBLIC_URL: url,
    GALLEY_ADMIN_KEY: key,
    GALLEY_ALLOW_PRIVATE: allowPrivate.join(','),
    LOG_LEVEL: 'warn',
    ...more,
  }
  const child = spawn(process.execPath, [program], {
    cwd: project,
    env: { ...process.env, ...unset, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C reaches a whole process group, and the demo still needs Galley to disconnect the site
    detached: true,
  })
  const stop = () => endChild(child, SHUTDOWN_GRACE_MS)
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

/** Empty counts as not set. Keeps the settings of a real Galley, in the environment or in `.env`, out of the demo. */
const unset = Object.fromEntries(settingNames.map((name) => [name, '']))

async function ready(child: ChildProcess, url: string): Promise<void> {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk).slice(-2_000)
    })
  }
  const deadline = Date.now() + READY_WITHIN_MS
  while (Date.now() < deadline) {
    if (hasEnded(child)) throw new Error(output.trim())
    if (await isOk(`${url}/readyz`)) return
    await sleep(100)
  }
  throw new Error(`It was not ready after ${READY_WITHIN_MS / 1000} s. ${output.trim()}`)
}

async function isOk(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** @throws GalleyError what Galley says where it answers with an error */
function createApi(url: string, key: string): Call {
  return async (method, path, body, part = 'data') => {
    const answer = await send(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    })
    return (part === 'data' && answer.data) || answer
  }
}

/** Posts a webhook to the secret address of its source, without a key, as a sender does. */
export function postWebhook(address: string, webhook: object): Promise<unknown> {
  return send(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(webhook),
  })
}

async function send(address: string, request: RequestInit) {
  const response = await fetch(address, request)
  const answer = await response.json()
  if (!response.ok) throw new GalleyError(answer.error)
  return answer
}
