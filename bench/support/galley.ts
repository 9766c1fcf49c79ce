import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../demo/processes.ts'
import { createApiKey } from '../../src/secrets/keyring.ts'
import { bundleProgram } from '../../test/faults/stage/child.ts'
import type { Scale } from '../benchmark.ts'

/** A Galley in a process of its own, as an owner runs it. */
export interface GalleyProcess {
  url: string
  pid: number
  /** Milliseconds from the start of the process to the first 200 of `/readyz`. */
  readyAfterMs: number
  /** A new source. @returns the path of its webhook address */
  source(): Promise<string>
  /** Lets what is under way finish. */
  stop(): Promise<void>
  /** Ends at once, for one whose requests will never be answered. */
  kill(): Promise<void>
}

const READY_WITHIN_MS = 120_000

/** @param logFile where its log goes, at the default level: writing it is part of what is measured */
export async function startGalley(
  scale: Scale,
  settings: Record<string, string>,
  logFile: string,
): Promise<GalleyProcess> {
  const program = await galleyProgram(scale)
  const port = await freePort()
  const key = createApiKey()
  const began = performance.now()
  const child = launch(program, { GALLEY_ADMIN_KEY: key, PORT: String(port), ...settings }, logFile)
  const url = `http://127.0.0.1:${port}`
  try {
    await untilReady(url, child)
  } catch (cause) {
    child.kill('SIGKILL')
    throw new Error(`Galley did not start: ${(await readFile(logFile, 'utf8')).slice(-2_000)}`, { cause })
  }
  return {
    url,
    pid: child.pid as number,
    readyAfterMs: performance.now() - began,
    source: () => makeSource(url, key),
    stop: () => end(child, 'SIGTERM'),
    kill: () => end(child, 'SIGKILL'),
  }
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

function launch(program: string, settings: Record<string, string>, logFile: string): ChildProcess {
  const log = openSync(logFile, 'a')
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  return child
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS
  while (child.exitCode === null && Date.now() < deadline) {
    const answer = await fetch(`${url}/readyz`).catch(() => null)
    if (answer?.status === 200) return
    await sleep(10)
  }
  throw new Error(child.exitCode === null ? 'it was not ready in time' : `it ended with ${child.exitCode}`)
}

async function makeSource(url: string, key: string): Promise<string> {
  const response = await fetch(`${url}/v1/sources`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'benchmark' }),
  })
  const answer = (await response.json()) as { data: { url: string } }
  return new URL(answer.data.url).pathname
}

const dist = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/**
 * The file to start as Galley. Full runs measure `dist`, what `npm run build` made and what an owner runs; quick
 * ones prove the source at hand, whatever was built.
 */
export const galleyProgram = async (scale: Scale): Promise<string> =>
  scale === 'full' ? dist : bundleProgram('src/main.ts')
