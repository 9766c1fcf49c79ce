import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Client } from 'pg'
import { test as base } from 'vitest'
import { discardDataDir, newDataDir, stopLeftServer } from './data-folder.ts'

/** Below the project, so that the bundle finds the PostgreSQL that npm installed. */
const cache = fileURLToPath(new URL('../../../.cache/embedded-test/', import.meta.url))

interface PerFile {
  /** The bundled process. */
  script: string
  /** A data folder for the tests of a file, one after the other; without a cluster until the first makes it. */
  dataDir: string
}

interface PerTest {
  /** A data folder of the test's own, without a cluster. */
  emptyDir: string
  /** Starts a process on `dataDir`, or on another folder. When the test ends it is killed and its server stopped. */
  start: (dataDir?: string) => EmbeddedProcess
}

/** Vitest's `test` with processes that hold an embedded database, and with data folders. Both are removed at the end. */
export const test = base.extend<{ $file: PerFile; $test: PerTest }>({
  script: [
    // biome-ignore lint/correctness/noEmptyPattern: how vitest wants a fixture without needs
    async ({}, use) => {
      const script = join(cache, `${process.pid}-${Date.now()}.mjs`)
      await bundleEmbeddedProcess(script)
      await use(script)
      await rm(script)
    },
    { scope: 'file' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: how vitest wants a fixture without needs
  dataDir: [async ({}, use) => useDataDir(use), { scope: 'file' }],
  // biome-ignore lint/correctness/noEmptyPattern: how vitest wants a fixture without needs
  emptyDir: async ({}, use) => useDataDir(use),
  start: async ({ script, dataDir }, use) => {
    const started: EmbeddedProcess[] = []
    await use((otherDir = dataDir) => {
      const process = startEmbeddedProcess(script, otherDir)
      started.push(process)
      return process
    })
    await Promise.all(started.map(killProcess))
    await stopLeftServer(dataDir)
  },
})

async function useDataDir(use: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = newDataDir()
  await use(dataDir)
  await discardDataDir(dataDir)
}

/** Kills a process, whatever state it is in. */
export async function killProcess(started: EmbeddedProcess): Promise<void> {
  try {
    started.signal('SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
  await started.exited
}

/** Runs one statement on a connection of its own. */
export async function query(connectionString: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

interface ReadyEvent {
  event: 'ready'
  /** Of the server. */
  pid: number
  connectionString: string
}

type ProcessEvent =
  | ReadyEvent
  | { event: 'failed'; code: string; message: string }
  | { event: 'lost'; code: string; message: string }
  | { event: 'log'; level: string; text: string; error?: string }
  | { event: 'stopped' }
  | { event: 'interrupted' }

export interface EmbeddedProcess {
  pid: number
  /** Waits for the first event of a kind, past ones included. */
  saw<Kind extends ProcessEvent['event']>(kind: Kind): Promise<Extract<ProcessEvent, { event: Kind }>>
  signal(signal: NodeJS.Signals): void
  /** Signals its whole process group, as Ctrl-C in a terminal does. */
  signalGroup(signal: NodeJS.Signals): void
  exited: Promise<void>
}

const source = fileURLToPath(new URL('embedded-process.ts', import.meta.url))

/** Writes `embedded-process.ts` and all it needs, but for PostgreSQL itself, as one file that plain node runs. */
export async function bundleEmbeddedProcess(outfile: string): Promise<void> {
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native'],
    // For pg, which is CommonJS.
    banner: { js: "import * as m from 'node:module'; const require = m.createRequire(import.meta.url)" },
  })
}

/** Starts the bundled `script` on a data folder, in a process group of its own. */
export function startEmbeddedProcess(
  script: string,
  dataDir: string,
  user?: { uid: number; gid: number },
): EmbeddedProcess {
  const child = spawn(process.execPath, [script, dataDir], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...user,
  })
  const { pid } = child
  if (pid === undefined) throw new Error('The process did not start')

  const events: ProcessEvent[] = []
  const lines = createInterface(child.stdout)
  lines.on('line', (line) => events.push(JSON.parse(line) as ProcessEvent))
  const exited = once(child, 'close').then(() => undefined)

  return {
    pid,
    exited,
    async saw(kind) {
      for (;;) {
        const found = events.find(({ event }) => event === kind)
        if (found) return found as never
        const ended = await Promise.race([once(lines, 'line').then(() => false), exited.then(() => true)])
        if (ended && !events.some(({ event }) => event === kind)) {
          throw new Error(`The process ended without "${kind}": ${JSON.stringify(events)}`)
        }
      }
    },
    signal: (signal) => process.kill(pid, signal),
    signalGroup: (signal) => process.kill(-pid, signal),
  }
}
