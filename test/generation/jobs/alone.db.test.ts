import { afterEach, beforeEach, expect, test } from 'vitest'
import { quickTiming } from '../../faults/stage/timing.ts'
import { image } from '../requests.ts'
import { type Stage, startStage } from './stage.ts'

let stage: Stage
const begun: string[] = []
let release = () => {}

beforeEach(async () => {
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  stage = await startStage(
    {
      image: async (run) => {
        const { prompt } = run.request
        const again = begun.includes(prompt)
        begun.push(prompt)
        if (prompt === 'long') await held
        // As a process that has died over it for the second time leaves it.
        if (prompt === 'deadly' && !again) {
          await stage.pool.query(
            'UPDATE generation_job SET fence = fence + 1, crashes = 2, leased_by = NULL, due_at = now() WHERE id = $1',
            [run.id],
          )
        }
        return { url: 'made' }
      },
    },
    { timing: { ...quickTiming, aloneWithinMs: 1 } },
  )
})

afterEach(() => stage.stop())

test('one that is to be alone waits as long as the others take, and none begins before it', async () => {
  const long = await stage.create('image', image('long'))
  await expect.poll(() => begun).toEqual(['long'])
  const deadly = await stage.create('image', image('deadly'))
  const waits = async () => {
    const { rows } = await stage.pool.query(
      `SELECT FROM graphile_worker._private_jobs
       WHERE payload ->> 'jobId' = $1 AND locked_at < now() - interval '1 second'`,
      [deadly],
    )
    return begun.includes('deadly') && rows.length > 0
  }
  await expect.poll(waits).toBe(true)
  const next = await stage.create('image', image('next'))
  release()
  for (const id of [long, deadly, next]) expect(await stage.ended(id)).toMatchObject({ status: 'completed' })
  expect(begun).toEqual(['long', 'deadly', 'deadly', 'next'])
})
