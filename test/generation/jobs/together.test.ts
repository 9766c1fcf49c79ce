import { afterAll, beforeAll, expect, test } from 'vitest'
import { quickTiming } from '../../faults/stage/timing.ts'
import { image } from '../requests.ts'
import { type Stage, startStage } from './stage.ts'

const JOBS = 40

let stage: Stage
let there = 0
let go = () => {}
const all = new Promise<void>((resolve) => {
  go = resolve
})

beforeAll(async () => {
  const image = async () => {
    there += 1
    if (there === JOBS) go()
    await all
    return { url: 'https://x.test/ships' }
  }
  // Nobody else wakes what the queue has not brought.
  stage = await startStage({ image }, { timing: { ...quickTiming, sweepMs: 600_000 } })
})

afterAll(() => stage.stop())

test('jobs that are stored together are begun beside each other, each in a place of its own', async () => {
  const ids = await Promise.all(
    Array.from({ length: JOBS }, () => stage.create('image', image('a crowd of ships'))),
  )
  for (const id of ids) expect(await stage.ended(id)).toMatchObject({ status: 'completed', fence: 1 })
  const { rows } = await stage.pool.query('SELECT DISTINCT created_at FROM generation_job')
  // One statement has one moment.
  expect(rows).toHaveLength(1)
}, 60_000)
