import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark, Result, Scale } from '../benchmark.ts'
import { type Postgres, withPostgres } from '../support/postgres.ts'
import { LINES, measureImport } from './imports.ts'
import { ITEMS, measureJobs } from './jobs.ts'
import { measureCollecting, ROWS } from './million.ts'
import { besides } from './others.ts'
import { startStage } from './stage.ts'

const IDLE_MS = { full: 20_000, quick: 1_000 } satisfies Record<Scale, number>

export const bulk: Benchmark = {
  title: 'Many at once',
  baseline: 'the same Galley while neither a bulk job nor an import is under way',
  run: (scale) => withPostgres((postgres) => run(scale, postgres)),
}

async function run(scale: Scale, postgres: Postgres): Promise<Result> {
  const stage = await startStage(scale, postgres)
  try {
    // The first documents find connections and plans made by none before.
    await besides(stage, () => sleep(IDLE_MS[scale] / 4))
    const idle = await besides(stage, () => sleep(IDLE_MS[scale]))
    const imported = await measureImport(scale, stage, idle)
    const jobs = await measureJobs(scale, stage, idle)
    const collecting = await measureCollecting(scale, stage, idle)
    const { quick, slow, silent } = LINES[scale]
    return {
      figures: [...jobs, ...imported, ...collecting],
      conditions: [
        `One process with role all. A job releases ${ITEMS[scale].toLocaleString('en')} held deliveries of 1,000 sites that are paused by hand, so that the job is measured and not what it starts; another account looks at its list ten times a second and sends ten documents a second for 20 simulated sites.`,
        'One job is killed with its process (SIGKILL) after a third, one cancelled. Each delivery was released once, or this benchmark stops; after the cancelling as many as the report says.',
        `Then the account of the job has ${ROWS[scale].toLocaleString('en')} deliveries more, of 60 days, and a dry run is made for each of three filters; measured is how long it takes until what matches is written down.`,
        `The import has ${quick + slow + silent} lines: ${silent} sites that never answer first, then ${slow} that take 5 s for each request, then ${quick} that take 50 ms.`,
      ],
    }
  } finally {
    await stage.close()
  }
}
