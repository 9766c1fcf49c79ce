import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Pool } from 'pg'
import { bundleProgram } from '../../test/faults/stage/child.ts'
import type { Benchmark, Result, Scale } from '../benchmark.ts'
import type { Postgres } from '../support/postgres.ts'
import { compareMedians, interleave, percentile } from '../support/rounds.ts'
import { allEnded, endOf, PARTS, startWorks, type Works } from './stage.ts'
import { latenessOf, statusTimes } from './status.ts'

const SCALES = {
  full: {
    ...{ rounds: 5, single: 200, jobs: 400, waiting: 10_000, watchedMs: 20_000, statusSeconds: 10 },
    ...{ told: { notifications: 1_000, seconds: 20 }, spoken: { wav: '1', mp3: '0.05', opus: '0.05' } },
  },
  quick: {
    ...{ rounds: 1, single: 3, jobs: 10, waiting: 50, watchedMs: 300, statusSeconds: 0.3 },
    ...{ told: { notifications: 10, seconds: 0.5 }, spoken: { wav: '0.01' } },
  },
} satisfies Record<Scale, object>

/** Of a job: its creation and its claim, the intent and the answer of each part, its end. */
const COMMITS = 2 + 2 * PARTS + 1

const ASKED_PER_SECOND = 500

/** Jobs that a process works on at once. */
const LANES = 64

/** Clients that ask for jobs, each for its next when the one before is accepted. */
const CLIENTS = 8

export const generation: Benchmark = {
  title: 'Generation',
  baseline: 'as many bare commits: an UPDATE by its key and an INSERT each, over as many connections',
  run,
}

const instant = async ({ name, model }: { name: string; model: string }) => ({
  ...{ provider: name, model, body: 'x'.repeat(2_000), usage: { tokens: 500 }, costMicros: 5 },
})

async function run(scale: Scale, postgres: Postgres): Promise<Result> {
  const { rounds, single, jobs, waiting, statusSeconds: seconds } = SCALES[scale]
  // First: what the other parts leave in this process would count as its memory.
  const slow = await manyWaiting(scale, postgres)
  const alone = await oneByOne(postgres, single)
  const { bare, together, apart } = await interleave(rounds, {
    bare: async () => bareCommits(await postgres.database(), { jobs, commits: COMMITS, lanes: LANES }),
    together: () => backlog(postgres, { jobs, clients: jobs }),
    apart: () => backlog(postgres, { jobs, clients: CLIENTS }),
  })
  const { status, health } = await statusTimes(scale, postgres, { perSecond: ASKED_PER_SECOND, seconds })
  const late = await latenessOf(await postgres.database(), SCALES[scale].told)
  const speech = await memoryOfSpeech(postgres.folder, SCALES[scale].spoken)
  const [statusP99, healthP99] = [percentile(status, 0.99), percentile(health, 0.99)]
  const none = { baseline: null, ratio: null }
  const milliseconds = 'milliseconds' as const
  return {
    figures: [
      {
        figure: 'create → first step, p95',
        ...{ unit: milliseconds, measured: percentile(alone.first, 0.95), ...none },
        target: { measured: 'below', limit: 20 },
      },
      {
        figure: `create → end of a job of ${PARTS} parts, p95`,
        ...{ unit: milliseconds, measured: percentile(alone.end, 0.95), ...none },
        target: { measured: 'below', limit: 50 },
      },
      {
        figure: 'jobs',
        ...{ unit: 'perSecond', ...compareMedians(together, bare) },
        target: { ratio: 'at least', limit: 0.7 },
      },
      {
        figure: `jobs, asked for by ${CLIENTS} clients`,
        unit: 'perSecond',
        ...compareMedians(apart, bare),
        target: null,
      },
      {
        figure: `memory with ${waiting.toLocaleString('en')} jobs waiting`,
        ...{ unit: 'megabytes', measured: slow.megabytes, ...none },
        target: { measured: 'below', limit: 400 },
      },
      {
        figure: 'longest delay of the event loop meanwhile',
        ...{ unit: milliseconds, measured: slow.delayMs, ...none },
        target: { measured: 'below', limit: 100 },
      },
      {
        figure: `status of a finished document, p99 at ${ASKED_PER_SECOND}/s`,
        ...{ unit: milliseconds, measured: statusP99, baseline: healthP99, ratio: statusP99 / healthP99 },
        target: { measured: 'below', limit: 20 },
      },
      {
        figure: 'a notification arrives after it was due, at most',
        ...{ unit: milliseconds, measured: Math.max(...late), ...none },
        target: { measured: 'below', limit: 2_000 },
      },
      {
        figure: 'memory that 100,000 characters of speech add',
        ...{ unit: 'megabytes', measured: speech, ...none },
        target: { measured: 'below', limit: 150 },
      },
    ],
    conditions: [
      `A provider in the same process that answers 2,000 characters at once. A job has ${PARTS} parts, one after the other, and ${COMMITS} commits.`,
      `One by one: ${single} jobs, each created when the one before has ended; the end is seen by who looks every 2 ms.`,
      `Jobs a second: ${jobs} jobs are created at once, or by ${CLIENTS} clients, each its next when the one before is accepted; ${LANES} lanes of the baseline, as many as jobs at once. The baseline commits each by itself; Galley gathers into one commit what several jobs write in the same moment, that they are created as well as what comes of them.`,
      `Waiting: ${waiting.toLocaleString('en')} jobs for a provider with 4 places that takes a minute for an answer; memory is that of the whole process, the benchmark with it.`,
      `Status: one Galley in a process of its own, asked over HTTP for ${seconds} s, the time from the moment a request is due; beside it \`/healthz\`, for which nothing is looked up.`,
      `Notifications: ${SCALES[scale].told.notifications.toLocaleString('en')} of one account become due one after the other in ${SCALES[scale].told.seconds} s; ${late.filter((ms) => ms < 0).length} came early.`,
      'Speech: the longest text there may be, in a process of its own, 111 minutes as WAV and a twentieth of the samples as MP3 and Opus; the format that took the most.',
    ],
  }
}

async function withWorks<Done>(
  { database, folder }: Postgres,
  concurrency: number,
  answer: Parameters<typeof startWorks>[1],
  work: (works: Works) => Promise<Done>,
): Promise<Done> {
  const connectionString = await database()
  const works = await startWorks({ connectionString, folder: join(folder, 'files'), concurrency }, answer)
  try {
    return await work(works)
  } finally {
    await works.stop()
  }
}

/** @returns milliseconds from before a job is created to its first step, and to its end */
const oneByOne = (postgres: Postgres, jobs: number): Promise<{ first: number[]; end: number[] }> =>
  withWorks(postgres, LANES, instant, async (works) => {
    await works.start()
    const first: number[] = []
    const end: number[] = []
    for (let n = 0; n < jobs; n += 1) {
      const from = performance.now()
      const id = await works.create()
      end.push(await endOf(works, id, from))
      first.push((works.began.get(id) as number) - from)
    }
    return { first, end }
  })

/** @returns jobs a second, their creation counted */
const backlog = (postgres: Postgres, { jobs, clients }: { jobs: number; clients: number }): Promise<number> =>
  withWorks(postgres, LANES, instant, async (works) => {
    await works.start()
    let left = jobs
    const client = async () => {
      for (; left > 0; await works.create()) left -= 1
    }
    const from = performance.now()
    await Promise.all(Array.from({ length: clients }, client))
    await allEnded(works)
    return jobs / ((performance.now() - from) / 1_000)
  })

async function manyWaiting(
  scale: Scale,
  postgres: Postgres,
): Promise<{ megabytes: number; delayMs: number }> {
  const { waiting, watchedMs } = SCALES[scale]
  const over = new AbortController()
  const slow = async (provider: { name: string; model: string }) => {
    await sleep(60_000, undefined, { signal: over.signal }).catch(() => undefined)
    return instant(provider)
  }
  return withWorks(postgres, 4, slow, async (works) => {
    for (let made = 0; made < waiting; made += 100)
      await Promise.all(Array.from({ length: Math.min(100, waiting - made) }, works.create))
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    await works.start()
    let megabytes = 0
    for (const end = performance.now() + watchedMs; performance.now() < end; await sleep(50))
      megabytes = Math.max(megabytes, process.memoryUsage().rss / 1024 ** 2)
    delay.disable()
    over.abort()
    return { megabytes, delayMs: delay.max / 1e6 }
  })
}

/** Connections, as many as Galley's own pool has. */
const POOL = 20

/**
 * What any ledger of the same promise costs: as many commits as a job has moments that must be on disk before it goes on,
 * each an UPDATE of a row by its key and an INSERT of a line, one job after the other in each of so many lanes.
 *
 * @returns jobs a second
 */
export async function bareCommits(
  connectionString: string,
  { jobs, commits, lanes }: { jobs: number; commits: number; lanes: number },
): Promise<number> {
  const pool = new Pool({ connectionString, max: POOL })
  try {
    await pool.query(`
      CREATE TABLE IF NOT EXISTS bare_job (id uuid PRIMARY KEY, commits int NOT NULL DEFAULT 0);
      CREATE TABLE IF NOT EXISTS bare_line (job_id uuid NOT NULL, n int NOT NULL, said text, PRIMARY KEY (job_id, n));
      TRUNCATE bare_job, bare_line`)
    let left = jobs
    const began = performance.now()
    const lane = async () => {
      while (left > 0) {
        left -= 1
        const id = randomUUID()
        await pool.query('INSERT INTO bare_job (id) VALUES ($1)', [id])
        for (let n = 1; n < commits; n += 1)
          await pool.query({
            name: 'bare-commit',
            text: `WITH job AS (UPDATE bare_job SET commits = $2 WHERE id = $1 RETURNING id)
              INSERT INTO bare_line (job_id, n, said) SELECT id, $2, $3 FROM job`,
            values: [id, n, 'as said'],
          })
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    return jobs / ((performance.now() - began) / 1_000)
  } finally {
    await pool.end()
  }
}

/**
 * Has the longest text that there may be, 100,000 characters, spoken and encoded in a process of its own, from answers that
 * lie on disk.
 *
 * @param parts of a second, for each second of speech, by format: what an encoder needs does not depend on how long it works
 * @returns megabytes by which the process grew at most, of the format that took the most
 */
export async function memoryOfSpeech(folder: string, parts: Record<string, string>): Promise<number> {
  const place = join(folder, 'speech')
  await mkdir(place)
  const program = await bundleProgram('test/generation/speech/long-text.ts')
  let most = 0
  for (const [format, part] of Object.entries(parts)) {
    const { stdout } = await promisify(execFile)(process.execPath, [program, place, format, part])
    most = Math.max(most, (JSON.parse(stdout) as { grewBy: number }).grewBy)
  }
  return most / 1e6
}
