import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure, Scale } from '../benchmark.ts'
import { memoryOf, PeakMemory } from '../cost/memory.ts'
import { percentile } from '../support/statistics.ts'
import { fillHeld, holdAgain, released } from './held-deliveries.ts'
import { besides, type Met } from './others.ts'
import { ask, type Stage } from './stage.ts'

export const ITEMS = { full: 100_000, quick: 600 } satisfies Record<Scale, number>

interface Job {
  id: string
  status: string
  matched: number
  done: number
  ended_at: string | null
}

/** A job that releases all that is held, kept whole by whatever happens to it. */
export async function measureJobs(scale: Scale, stage: Stage, idle: Met): Promise<Figure[]> {
  const items = ITEMS[scale]
  await fillHeld(stage, items)
  const before = await memoryOf(stage.galley.pid)
  const memory = new PeakMemory(stage.galley.pid)
  const began = performance.now()
  const { answer: seconds, ...met } = await besides(stage, async () => {
    await ended(stage, await start(stage))
    return (performance.now() - began) / 1_000
  })
  const peak = await memory.stop()
  await requireAll(stage, items)
  return [
    plain('deliveries released by a job', 'perSecond', items / seconds),
    {
      ...plain('memory of the process meanwhile, at most', 'megabytes', peak),
      baseline: before,
      ratio: peak / before,
    },
    ...beside('meanwhile', met, idle),
    plain('a job goes on after its process was killed', 'seconds', await afterKill(stage, items)),
    plain('a job ends after it is cancelled', 'milliseconds', await afterCancel(stage, items)),
  ]
}

/** What the other account meets while something is under way, beside what it meets else. */
export const beside = (when: string, met: Met, idle: Met): Figure[] =>
  (
    [
      [`another account's list of deliveries ${when}, p95`, 'lists'],
      [`another account's documents, webhook to post ${when}, p95`, 'posts'],
    ] as const
  ).map(([figure, of]) => {
    const [measured, baseline] = [percentile(met[of], 0.95), percentile(idle[of], 0.95)]
    return { figure, unit: 'milliseconds', measured, baseline, ratio: measured / baseline, target: null }
  })

export const plain = (figure: string, unit: Figure['unit'], measured: number): Figure => ({
  ...{ figure, unit, measured },
  ...{ baseline: null, ratio: null, target: null },
})

const start = async ({ galley, bulk }: Stage): Promise<string> => {
  const body = { action: 'release', filter: { status: 'held' } }
  return (await ask<{ id: string }>(galley, bulk, 'POST', '/v1/bulk', body)).id
}

const read = async ({ galley, bulk }: Stage, id: string): Promise<Job> =>
  (await ask<{ data: Job }>(galley, bulk, 'GET', `/v1/bulk/${id}`)).data

async function ended(stage: Stage, id: string): Promise<Job> {
  return until(stage, id, ({ ended_at }) => ended_at !== null)
}

async function until(stage: Stage, id: string, holds: (job: Job) => boolean): Promise<Job> {
  for (;;) {
    const job = await read(stage, id)
    if (holds(job)) return job
    await sleep(50)
  }
}

/** @throws where one was left out, or released twice */
async function requireAll(stage: Stage, items: number): Promise<void> {
  const { times, deliveries } = await released(stage)
  if (times === items && deliveries === items) return
  throw new Error(`of ${items} deliveries, ${deliveries} were released, ${times} times in all`)
}

/** Seconds until another process goes on. */
async function afterKill(stage: Stage, items: number): Promise<number> {
  await holdAgain(stage)
  const id = await start(stage)
  const { done } = await until(stage, id, (job) => job.done > items / 3)
  const from = performance.now()
  await stage.killed()
  await until(stage, id, (job) => job.done > done || job.ended_at !== null)
  const seconds = (performance.now() - from) / 1_000
  await ended(stage, id)
  await requireAll(stage, items)
  return seconds
}

/** Milliseconds until it has ended, and nothing is done any more. */
async function afterCancel(stage: Stage, items: number): Promise<number> {
  await holdAgain(stage)
  const id = await start(stage)
  await until(stage, id, (job) => job.done > items / 3)
  const from = performance.now()
  await ask(stage.galley, stage.bulk, 'POST', `/v1/bulk/${id}/cancel`)
  const { done } = await ended(stage, id)
  const ms = performance.now() - from
  await sleep(1_000)
  const { deliveries } = await released(stage)
  if (deliveries !== done) throw new Error(`the report says ${done} were released, and ${deliveries} were`)
  return ms
}
