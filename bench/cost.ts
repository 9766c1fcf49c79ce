import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { startEmbedded } from '../src/database/embedded/start.ts'
import { generateSecretKey } from '../src/secrets/keyring.ts'
import { removeDataDir } from '../test/support/database/data-folder.ts'
import type { Benchmark, Figure, Result, Scale, Target } from './benchmark.ts'
import { type GalleyProcess, startGalley } from './support/galley.ts'
import { fullLoad, withSenders } from './support/load.ts'
import { median } from './support/rounds.ts'
import { articleStencil } from './support/webhook.ts'

/** An empty data folder for `work`, gone afterwards. */
export async function withDataFolder<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'galley-bench-'))
  try {
    return await work(dataDir)
  } finally {
    await removeDataDir(dataDir)
  }
}

/** Milliseconds until the embedded PostgreSQL of a data folder takes connections, its cluster made where there is none. */
export async function timePostgres(dataDir: string): Promise<number> {
  const began = performance.now()
  const server = await startEmbedded({ dataDir, log: pino({ level: 'silent' }) })
  const tookMs = performance.now() - began
  await server.stop()
  return tookMs
}

const execute = promisify(execFile)

/** The resident set of a process, in megabytes (10⁶ bytes). */
export async function memoryOf(pid: number): Promise<number> {
  const { stdout } = await execute('ps', ['-o', 'rss=', '-p', String(pid)])
  return (Number(stdout) * 1_024) / 1e6
}

/** What a Node needs that only listens. */
export async function bareNodeMegabytes(): Promise<number> {
  const script = "require('node:http').createServer().listen(0, '127.0.0.1', () => console.log('up'))"
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  const megabytes = await memoryOf(child.pid as number)
  child.kill('SIGKILL')
  await once(child, 'exit')
  return megabytes
}

const SAMPLE_EVERY_MS = 200

/** Looks at a process again and again, and keeps the highest it saw. */
export class PeakMemory {
  readonly #loop: Promise<number>
  #stopped = false

  constructor(pid: number) {
    this.#loop = this.#watch(pid)
  }

  async stop(): Promise<number> {
    this.#stopped = true
    return this.#loop
  }

  async #watch(pid: number): Promise<number> {
    for (let peak = 0; ; ) {
      peak = Math.max(peak, await memoryOf(pid))
      if (this.#stopped) return peak
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_EVERY_MS))
    }
  }
}

const SCALES = {
  full: { rounds: 5, restMs: 5_000, loadSeconds: 15 },
  quick: { rounds: 1, restMs: 100, loadSeconds: 0.2 },
} satisfies Record<Scale, object>

const CONNECTIONS = 20

export const cost: Benchmark = {
  title: 'Cost',
  baseline: 'PostgreSQL alone, started by the same code, and an idle Node with an HTTP server',
  run,
}

async function run(scale: Scale): Promise<Result> {
  const { rounds, restMs, loadSeconds } = SCALES[scale]
  const starts = { cold: [] as number[], warm: [] as number[] }
  const alone = { cold: [] as number[], warm: [] as number[] }
  let memory: Memory | undefined
  for (let round = 0; round < rounds; round += 1) {
    await withDataFolder(async (dataDir) => {
      alone.cold.push(await timePostgres(dataDir))
      alone.warm.push(await timePostgres(dataDir))
    })
    await withDataFolder(async (dataDir) => {
      const cold = await startIn(scale, dataDir)
      await cold.stop()
      const warm = await startIn(scale, dataDir)
      try {
        memory ??= await measureMemory(warm, { restMs, loadSeconds })
      } finally {
        await warm.stop()
      }
      starts.cold.push(cold.readyAfterMs)
      starts.warm.push(warm.readyAfterMs)
    })
  }
  if (memory === undefined) throw new Error('The memory was measured in no round')
  const bare = await bareNodeMegabytes()
  return {
    figures: [
      start('start to ready, empty data folder', starts.cold, alone.cold),
      start('start to ready, data folder in use', starts.warm, alone.warm, 1.5),
      megabytes('memory of Galley at rest', memory.rest, bare, 220),
      megabytes('memory of Galley at rest, once a source was made', memory.asked, bare),
      megabytes('memory of Galley at full rate, highest', memory.peak, bare),
    ],
    conditions: [
      `GALLEY_ROLE=all with the embedded PostgreSQL; medians of ${rounds} starts, each until /readyz answers 200.`,
      `Memory is the resident set of Galley's own process: ${restMs / 1_000} s after the start, as long after a source was made (the first call that loads Prisma), and the highest seen in ${loadSeconds} s of ${CONNECTIONS} connections that send webhooks as fast as they are acknowledged.`,
    ],
  }
}

const startIn = (scale: Scale, dataDir: string): Promise<GalleyProcess> =>
  startGalley(
    scale,
    { GALLEY_DATA_DIR: dataDir, GALLEY_SECRET_KEYS: generateSecretKey() },
    join(dataDir, 'galley.log'),
  )

/** Megabytes. */
interface Memory {
  rest: number
  /** After a call of the API, for which Prisma is loaded. */
  asked: number
  peak: number
}

async function measureMemory(
  galley: GalleyProcess,
  { restMs, loadSeconds }: { restMs: number; loadSeconds: number },
): Promise<Memory> {
  await sleep(restMs)
  const rest = await memoryOf(galley.pid)
  const webhook = new URL(await galley.source(), galley.url)
  await sleep(restMs)
  const asked = await memoryOf(galley.pid)
  const peak = new PeakMemory(galley.pid)
  // A site that nobody connected: everything is stored and held, nothing leaves.
  const next = articleStencil(['00000000-0000-4000-8000-000000000001'])
  await withSenders({ webhook, connections: CONNECTIONS, next }, (lanes) => fullLoad(lanes, loadSeconds))
  return { rest, asked, peak: await peak.stop() }
}

function start(figure: string, measured: number[], baseline: number[], limit?: number): Figure {
  const seconds = (times: number[]) => median(times) / 1_000
  const ratio = median(measured.map((time, round) => time / (baseline[round] as number)))
  return {
    figure,
    unit: 'seconds',
    measured: seconds(measured),
    baseline: seconds(baseline),
    ratio,
    target: below(limit),
  }
}

const megabytes = (figure: string, measured: number, baseline: number, limit?: number): Figure => ({
  figure,
  unit: 'megabytes',
  measured,
  baseline,
  ratio: measured / baseline,
  target: below(limit),
})

const below = (limit: number | undefined): Target | null =>
  limit === undefined ? null : { measured: 'below', limit }
