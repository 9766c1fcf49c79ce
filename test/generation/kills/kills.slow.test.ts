import { afterAll, beforeAll, expect, test } from 'vitest'
import { seeded } from '../../support/random.ts'
import { killMany } from './kill-many.ts'
import { type KillStage, noDrift, type Point, startKillStage } from './stage.ts'

let stage: KillStage

beforeAll(async () => {
  stage = await startKillStage(2)
})

afterAll(() => stage.stop())

/** How often each part of a job was paid, by its name. */
const paidOf = (job: string): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const one of stage.paid) if (one.job === job) counts[one.part] = (counts[one.part] ?? 0) + 1
  return counts
}

const repeated = async (job: string) => {
  const { rows } = await stage.pool.query(
    'SELECT part, outcome FROM generation_call WHERE job_id = $1 AND perhaps_paid_twice',
    [job],
  )
  return rows
}

const points: [string, Point, string, { paid: number; repeated: boolean }][] = [
  ['its intent is written and nothing sent', 'intended', 'section-1', { paid: 1, repeated: true }],
  ['it is sent and not answered', 'sent', 'section-1', { paid: 2, repeated: true }],
  ['it is answered and that is not stored', 'answered', 'section-1', { paid: 2, repeated: true }],
  ['its answer is stored and not read', 'stored', 'section-1', { paid: 1, repeated: false }],
  ['all is made, right before the end', 'ending', 'end', { paid: 1, repeated: false }],
]

test('a process is killed at each point of a part: what is stored is never asked for again, what was in flight once', async () => {
  const killed = new Map<string, Point>()
  const jobs = new Map<string, Point>()
  stage.killAt(({ point, part, job }) => {
    const wanted = points.find(([, at, of]) => at === point && of === part)
    if (wanted === undefined || killed.has(job) || jobs.get(job) !== point) return false
    killed.set(job, point)
    return true
  })
  // One after the other: a kill ends whatever its process is at.
  for (const [, point, part, expected] of points) {
    const job = await stage.document()
    jobs.set(job, point)
    expect(await stage.ended(job), point).toMatchObject({ status: 'completed', attempts: 0 })
    expect(killed.get(job)).toBe(point)
    const paid = { outline: 1, 'section-1': 1, 'section-2': 1, 'picture-1': 1, 'picture-2': 1 }
    expect(paidOf(job), point).toEqual(part === 'end' ? paid : { ...paid, [part]: expected.paid })
    expect(await repeated(job), point).toEqual(expected.repeated ? [{ part, outcome: 'answered' }] : [])
    const keys = new Set(
      stage.paid.filter((one) => one.job === job && one.part === part).map(({ key }) => key),
    )
    expect(keys.size, point).toBe(part === 'end' ? 0 : 1)
  }
  expect(await stage.drift()).toEqual(noDrift)
})

test('a process that is asked to stop finishes what is under way and gives the rest back: nothing is asked twice', async () => {
  const before = stage.ends()
  let asked = false
  stage.killAt(({ point, part }) => {
    if (asked || point !== 'sent' || part !== 'section-1') return false
    asked = true
    return true
  }, 'SIGTERM')
  const job = await stage.document()
  expect(await stage.ended(job)).toMatchObject({ status: 'completed', attempts: 0, crashes: 0 })
  // It ends a moment after it gave its job back, and the other may have made it by then.
  await expect.poll(() => stage.ends() - before).toBe(1)
  expect(paidOf(job)).toEqual({ outline: 1, 'section-1': 1, 'section-2': 1, 'picture-1': 1, 'picture-2': 1 })
  expect(await repeated(job)).toEqual([])
  // Two claims: the second went on from what was stored.
  expect((await stage.ended(job)).fence).toBe(2)
})

test('a job over which its process ends three times fails with words and is refunded; those beside it are made', async () => {
  const beside = await Promise.all([stage.document(), stage.document()])
  const job = await stage.image('deadly')
  const { status, error, crashes } = await stage.ended(job, 120)
  expect({ status, crashes }).toEqual({ status: 'failed', crashes: 3 })
  expect(error.message).toContain('ended three times')
  for (const id of beside) expect(await stage.ended(id)).toMatchObject({ status: 'completed' })
  expect(await stage.drift()).toEqual(noDrift)
})

test('processes are killed at random: every job ends, and credits, calls and parts agree', async () => {
  await killMany(stage, { kills: 2, atOnce: 4, random: seeded(7).next })
}, 300_000)
