import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import type { Timing } from '../../../src/jobs/timing.ts'
import { testSettings } from '../../support/settings.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The program of `galley-process.ts`, as one file that plain node starts quickly. */
export interface GalleyProgram {
  file: string
  remove(): Promise<void>
}

/**
 * Bundles Galley's own code, as deep below a folder as in `src`: it finds its migrations by their place.
 *
 * @param changes to the bundle: for faults of Galley's own, or another program than `galley-process.ts`
 */
export async function bundleGalley(
  changes: Pick<BuildOptions, 'banner' | 'plugins' | 'entryPoints'> = {},
): Promise<GalleyProgram> {
  const folder = join(root, '.cache', 'faults', randomUUID())
  const file = join(folder, 'src', 'database', 'galley.mjs')
  await mkdir(join(folder, 'src', 'database'), { recursive: true })
  await build({
    entryPoints: [fileURLToPath(new URL('galley-process.ts', import.meta.url))],
    outfile: file,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    ...changes,
  })
  await symlink(join(root, 'prisma'), join(folder, 'prisma'))
  // Beside and above the bundle: where the code was, and where it is now.
  await symlink(join(root, 'package.json'), join(folder, 'src', 'package.json'))
  await symlink(join(root, 'package.json'), join(folder, 'package.json'))
  return { file, remove: () => rm(folder, { recursive: true }) }
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
  { file }: GalleyProgram,
  { env, timing, wrapper = [] }: ChildOptions,
): Promise<GalleyChild> {
  const [command = '', ...args] = [...wrapper, process.execPath, file, JSON.stringify(timing)]
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
