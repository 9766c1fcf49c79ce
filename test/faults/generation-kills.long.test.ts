import { afterAll, beforeAll, test } from 'vitest'
import { killMany } from '../generation/kills/kill-many.ts'
import { type KillStage, startKillStage } from '../generation/kills/stage.ts'
import { seeded } from '../support/random.ts'
import { seed } from './stage/options.ts'

let stage: KillStage

beforeAll(async () => {
  stage = await startKillStage(3)
})

afterAll(() => stage.stop())

test('200 kills: every job ends, and credits, calls and parts agree', async () => {
  await killMany(stage, { kills: 200, atOnce: 12, random: seeded(seed).next })
}, 1_400_000)
