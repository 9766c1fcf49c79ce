import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { bundleGalley } from '../../../scripts/bundle.ts'
import type { Timing } from '../../../src/jobs/heartbeat.ts'
import { testSettings } from '../../support/settings.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Of the whole run of vitest, which removes it; or of this process, as in a benchmark. */
const folder = process.env.GALLEY_TEST_BUNDLES ?? join(root, '.cache', 'bundles', randomUUID())
if (process.env.GALLEY_TEST_BUNDLES === undefined)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

const bundled = new Map<string, Promise<string>>()

/**
 * Bundles `galley-process.ts`, or another program of the repository, as `npm run build` does: once for all the tests of a run,
 * since each time takes two seconds of the processor.
 *
 * @param changes to the bundle: for faults of Galley's own
 * @returns the file to start
 */
export function bundleProgram(
  entry = 'test/faults/stage/galley-process.ts',
  changes?: Parameters<typeof bundleGalley>[2],
): Promise<string> {
  if (changes !== undefined) return bundleGalley(entry, join(folder, randomUUID()), changes)
  const known = bundled.get(entry) ?? findOrBundle(entry)
  bundled.set(entry, known)
  return known
}

async function findOrBundle(entry: string): Promise<string> {
  const made = join(folder, entry.replaceAll('/', '-'))
  if (!existsSync(made)) {
    const own = join(folder, randomUUID())
    await bundleGalley(entry, own)
    await rename(own, made).catch((error: unknown) => {
      // Another process was first.
      if (!existsSync(made)) throw error
    })
  }
  return join(made, `${parse(entry).name}.js`)
}

export interface GalleyChild {
  pid: number
  /** Null for a process that only works. */
  url: string | null
  kill(signal: NodeJS.Signals): void
  exited: Promise<void>
}

export interface ChildOptions {
  /** Beside `testSettings`. */
  env: Record<string, string>
  timing: Timing
  /** Put before node, as `strace …` is. */
  wrapper?: string[]
}

/** Starts a Galley and resolves when it serves. */
export async function startChild(
  program: string,
  { env, timing, wrapper = [] }: ChildOptions,
): Promise<GalleyChild> {
  const [command = '', ...args] = [...wrapper, process.execPath, program, JSON.stringify(timing)]
  const child = spawn(command, args, {
    cwd: root,
    env: {
      PATH: process.env.PATH ?? '',
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'fatal',
      ...testSettings,
      ...env,
    },
    // The pipe to its input ends with the test run, however that ends, and the process with the pipe.
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'close').then(() => undefined)
  const { url } = await firstWord(child, exited)
  return { pid: child.pid as number, url, exited, kill: (signal) => child.kill(signal) }
}

async function firstWord(child: ChildProcess, exited: Promise<void>): Promise<{ url: string | null }> {
  const lines = createInterface(child.stdout as NodeJS.ReadableStream)
  const said = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      if (line.startsWith('{"ready"')) resolve(line)
      else console.log(line)
    })
  })
  const ended = exited.then(() => {
    throw new Error(`a Galley ended before it served, with ${child.exitCode ?? child.signalCode}`)
  })
  return JSON.parse(await Promise.race([said, ended]))
}
