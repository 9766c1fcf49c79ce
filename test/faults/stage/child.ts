import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { bundleGalley } from '../../../scripts/bundle.ts'
import type { Timing } from '../../../src/jobs/heartbeat.ts'
import { testSettings } from '../../support/settings.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Within the repository: Galley finds its packages and its migrations above itself. */
const folder = join(root, '.cache', 'faults', String(process.pid))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
// So ends a process of vitest.
process.once('SIGTERM', () => process.exit())

const bundled = new Map<string, Promise<string>>()

/**
 * Bundles `galley-process.ts`, or another program of the repository, as `npm run build` does: once for all the tests of this
 * process, since each time takes two seconds of the processor.
 *
 * @param changes to the bundle: for faults of Galley's own
 * @returns the file to start
 */
export function bundleProgram(
  entry = 'test/faults/stage/galley-process.ts',
  changes?: Parameters<typeof bundleGalley>[2],
): Promise<string> {
  const bundle = () => bundleGalley(entry, join(folder, randomUUID()), changes)
  if (changes !== undefined) return bundle()
  const known = bundled.get(entry) ?? bundle()
  bundled.set(entry, known)
  return known
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
