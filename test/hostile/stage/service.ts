import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Pool } from 'pg'
import { pino } from 'pino'
import { openCluster } from '../../../src/database/embedded/cluster.ts'
import { connectionString } from '../../../src/database/embedded/start.ts'
import type { Timing } from '../../../src/jobs/heartbeat.ts'
import { bundleProgram } from '../../faults/stage/child.ts'
import { quickTiming } from '../../faults/stage/timing.ts'
import { discardDataDir, newDataDir } from '../../support/database/data-folder.ts'
import { testSettings } from '../../support/settings.ts'

/** What the module inside the process has seen since it was last asked; memory since the start, in bytes. */
export interface Figures {
  delayMs: { max: number; mean: number }
  peak: { rss: number; heapUsed: number; external: number }
  stalls: { from: number; ms: number }[]
}

/** The real service, a process of its own with little memory, on the PostgreSQL that it brings. */
export interface Service {
  port: number
  connectionString: string
  pool: Pool
  /** All that it wrote, on either output. */
  written: string[]
  /** Null while it lives, else how it ended. */
  ended(): string | null
  figures(): Promise<Figures>
  stop(): Promise<void>
}

/** Megabytes of heap; V8 ends the process where they do not suffice. */
export const HEAP_MB = 512

/** The product's timing, but that a site which hangs is given up soon and one that was in trouble is tried at once. */
const timing: Timing = { ...quickTiming, exchangeMs: { read: 3_000, write: 3_000, upload: 4_000 } }

export async function startService(env: Record<string, string>): Promise<Service> {
  const program = await bundleProgram()
  const dataDir = newDataDir()
  const watch = fileURLToPath(new URL('watch.mjs', import.meta.url))
  const args = [`--max-old-space-size=${HEAP_MB}`, '--import', watch, program, JSON.stringify(timing)]
  const child = spawn(process.execPath, args, {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    env: {
      PATH: process.env.PATH ?? '',
      ...testSettings,
      // Whatever it may ever write is looked through.
      LOG_LEVEL: 'trace',
      GALLEY_DATA_DIR: dataDir,
      ...env,
    },
    // The pipe to its input ends with the test run, and the process with the pipe.
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  })
  const written: string[] = []
  const url = await firstWord(child, written)
  const cluster = await openCluster(dataDir, pino({ level: 'silent' }))
  const address = connectionString(cluster, 'galley')
  const pool = new Pool({ connectionString: address, max: 4 })
  pool.on('error', () => undefined)
  return {
    port: Number(new URL(url).port),
    connectionString: address,
    pool,
    written,
    ended: () => howItEnded(child),
    async figures() {
      const told = once(child, 'message')
      child.send('figures')
      const [figures] = await told
      return figures as Figures
    },
    async stop() {
      await pool.end()
      const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
      child.kill('SIGTERM')
      await exited
      await discardDataDir(dataDir)
    },
  }
}

const howItEnded = ({ exitCode, signalCode }: ChildProcess): string | null =>
  exitCode === null && signalCode === null ? null : `it ended with ${exitCode ?? signalCode}`

/** Collects what it writes, and resolves with where it serves. */
async function firstWord(child: ChildProcess, written: string[]): Promise<string> {
  const said = new Promise<string>((resolve, reject) => {
    for (const output of [child.stdout, child.stderr])
      createInterface(output as NodeJS.ReadableStream).on('line', (line) => {
        if (line.startsWith('{"ready"')) resolve(JSON.parse(line).url)
        else written.push(line)
      })
    child.once('exit', () => reject(new Error(`Galley ended before it served:\n${written.join('\n')}`)))
  })
  return said
}
