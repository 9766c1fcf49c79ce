import { afterEach, expect, test } from 'vitest'
import type { RawAnswer } from '../../../src/generation/providers/types.ts'
import { image } from '../requests.ts'
import { type Stage, startStage } from './stage.ts'

let stage: Stage
afterEach(() => stage.stop())

const writer = { name: 'writer', model: 'm1' }

/** A job that never has enough of a provider. */
const endless = (
  answer: Omit<RawAnswer, 'provider' | 'model' | 'body'>,
  budgetOfJob: { calls: number; micros: number },
) =>
  startStage(
    {
      image: async (run) => {
        for (let n = 0; ; n += 1)
          await run.answer({ step: 'generating', name: `try-${n}` }, [writer], async () => ({
            provider: 'writer',
            model: 'm1',
            body: 'more',
            ...answer,
          }))
      },
    },
    { budgetOfJob },
  )

test.each([
  ['calls', { calls: 5, micros: 1_000 }, { costMicros: 10 }, 5, '5 calls to providers (GALLEY_JOB_CALLS)'],
  ['money', { calls: 50, micros: 1_000 }, { costMicros: 400 }, 3, 'GALLEY_JOB_MICROS'],
])(
  'a job that reaches its limit of %s fails with BUDGET_EXCEEDED',
  async (_, limit, answer, asked, words) => {
    stage = await endless(answer, limit)
    const id = await stage.create('image', image('endless'))
    const { error } = await stage.ended(id)
    expect(error).toMatchObject({ step: 'generating', code: 'BUDGET_EXCEEDED' })
    expect(error.message).toContain(words)
    expect(await stage.calls(id)).toHaveLength(asked)
  },
)
