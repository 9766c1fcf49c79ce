import type { Pool } from 'pg'
import { z } from 'zod'
import { type GenerationStep, jobErrorSchema } from '../../contract/generation/results.ts'
import { queryRows } from '../../database/statement.ts'
import { groupBy } from '../../lib/group-by.ts'

const sumSchema = z.object({
  amount: z
    .number()
    .nullable()
    .describe('Money, in the currency of the prices in the settings; null where no price is known.'),
  usage: z
    .record(z.string(), z.int())
    .describe('What the providers counted: `input_tokens`, `output_tokens`, `images`, `characters`.'),
  calls: z.int().describe('Requests that may have been charged.'),
  unpriced: z
    .int()
    .describe('Of these, how many have no price, no answer, or none yet: `amount` is without them.'),
})

export const costSchema = sumSchema
  .extend({
    by: z
      .array(
        z.object({
          step: jobErrorSchema.shape.step,
          provider: z.string(),
          model: z.string(),
          ...sumSchema.shape,
        }),
      )
      .describe('The same by step, provider and model, in the order of the first request.'),
  })
  .meta({ id: 'JobCost' })

interface CallRow {
  step: GenerationStep
  provider: string
  model: string
  usage: Record<string, number> | null
  micros: number | null
}

/** The cost of a job so far, from its calls; one that made nothing costs nothing. */
export async function costOf(pool: Pool, id: string): Promise<z.output<typeof costSchema>> {
  const rows = await queryRows<CallRow>(
    pool,
    `SELECT step, provider, model, usage, cost_micros::float8 AS micros FROM generation_call
     WHERE job_id = :id::uuid AND outcome <> 'failed' ORDER BY id`,
    { id },
  )
  const groups = groupBy(rows, ({ step, provider, model }) => JSON.stringify([step, provider, model]))
  const by = [...groups.values()].map((calls) => {
    const { step, provider, model } = calls[0] as CallRow
    return { step, provider, model, ...sumOf(calls) }
  })
  return { ...sumOf(rows), by }
}

function sumOf(calls: readonly CallRow[]): z.output<typeof sumSchema> {
  const priced = calls.flatMap(({ micros }) => micros ?? [])
  const usage: Record<string, number> = {}
  for (const call of calls)
    for (const [name, count] of Object.entries(call.usage ?? {})) usage[name] = (usage[name] ?? 0) + count
  return {
    amount: priced.length === 0 ? null : priced.reduce((sum, micros) => sum + micros, 0) / 1_000_000,
    usage,
    calls: calls.length,
    unpriced: calls.length - priced.length,
  }
}
