import { z } from 'zod'
import type { JobKind } from '../../contract/generation/requests.ts'
import { jobErrorSchema, resultSchemas } from '../../contract/generation/result-schemas.ts'
import type { Step } from '../../contract/generation/results.ts'
import { uuid } from '../../contract/wire.ts'

/** The states of a job before its end, by its kind. */
const under: Record<JobKind, [string, ...string[]]> = {
  document: ['pending', 'researching', 'generating', 'images', 'audio'],
  audio: ['pending', 'generating'],
  image: ['pending', 'generating'],
}

const steps = ['researching', 'generating', 'images', 'audio'] as const satisfies readonly Step[]
const parts = z.object({ done: z.int(), of: z.int() })

const job = { success: z.literal(true), id: uuid }

const warnings = z
  .array(z.object({ code: z.string(), message: z.string() }))
  .optional()
  .describe('What a person should know that did not stop it; absent where there is nothing.')

/** What a status request answers, by the kind of the job. */
export const statusSchema = (kind: JobKind) =>
  z.union([
    z.object({
      ...job,
      status: z.enum(under[kind]),
      progress: z
        .object(Object.fromEntries(steps.map((step) => [step, parts.optional()])))
        .optional()
        .describe('Of each step that has parts so far, how many are done; absent where none has any.'),
      warnings,
    }),
    z.object({ ...job, status: z.literal('completed'), data: resultSchemas[kind], warnings }),
    z.object({ ...job, status: z.literal('failed'), error: jobErrorSchema, warnings }),
  ])
