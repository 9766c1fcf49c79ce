import type { Pool } from 'pg'
import { z } from 'zod'
import type { JobKind } from '../../contract/generation/requests.ts'
import {
  type GenerationStep,
  type JobError,
  jobErrorSchema,
  jobWarningsSchema,
  resultSchemas,
} from '../../contract/generation/results.ts'
import { uuid } from '../../contract/scalars.ts'
import { named } from '../../database/statement.ts'
import { refusal } from '../../errors.ts'
import type { RatedWarning } from '../../warnings.ts'
import { stepsOf } from '../jobs/job.ts'
import { nameOf } from '../jobs/provider-gate.ts'

export const waitingSchema = z
  .object({
    reason: z
      .enum(['provider_busy', 'provider_trouble', 'operator', 'error'])
      .describe(
        '`provider_busy`: every slot of its provider is taken. `provider_trouble`: the provider fails, and Galley tries again. `operator`: only the operator can fix it, and the job fails within minutes. `error`: Galley failed internally, and tries again.',
      ),
    provider: z.string().nullable(),
    since: z.iso.datetime().describe('Since when this keeps the job from finishing a part.'),
    message: z.string(),
  })
  .meta({ id: 'JobWaiting' })

type Waiting = z.output<typeof waitingSchema>

export interface WaitingRow {
  stalled_on: string
  stalled_since: Date | null
  trouble: { message: string; action: string } | null
}

/** SQL columns of {@link WaitingRow}, of a relation `generation_job`. */
export const WAITING_COLUMNS = `generation_job.stalled_on, generation_job.stalled_since,
  CASE WHEN generation_job.stalled_since IS NOT NULL
    THEN (SELECT trouble FROM generation_provider WHERE name = generation_job.stalled_on) END AS trouble`

export function waitingView({ stalled_on, stalled_since, trouble }: WaitingRow): Waiting | null {
  if (stalled_since === null) return null
  const provider = nameOf(stalled_on)
  const since = stalled_since.toISOString()
  if (provider === '')
    return {
      ...{ reason: 'error', provider: null, since },
      message: 'Galley failed internally and tries the job again. Its log has the details.',
    }
  if (trouble === null)
    return {
      ...{ reason: 'provider_busy', provider, since },
      message: `The provider ${provider} has as many requests under way as its settings allow (concurrency). The job keeps its place in the queue.`,
    }
  const reason = trouble.action === 'owner' ? 'operator' : 'provider_trouble'
  return { reason, provider, since, message: trouble.message }
}

interface JobStatusRow extends WaitingRow {
  status: string
  parts: Partial<Record<GenerationStep, number>>
  done: Partial<Record<GenerationStep, number>> | null
  result: unknown
  error: JobError | null
  warnings: RatedWarning[]
}

/** How far a job is, and its result, as {@link statusSchema} has it. @throws GalleyError 404 */
export async function jobStatus(
  pool: Pool,
  { accountId, kind, id }: { accountId: string; kind: JobKind; id: string },
) {
  const { rows } = await pool.query<JobStatusRow>({
    name: 'generation-status',
    ...named(READ_STATUS, { id, accountId, kind }),
  })
  const [row] = rows
  if (row === undefined)
    throw refusal(
      'NOT_FOUND',
      `This account has no job ${id} that makes ${kindLabels[kind]}. The id is the one that POST /v1/${kind}/create answered.`,
      404,
    )
  const { status, parts, done, result, error, warnings } = row
  const waiting = waitingView(row)
  const steps = finalStatuses.has(status) ? [] : (Object.entries(parts) as [GenerationStep, number][])
  return {
    id,
    status,
    ...(steps.length > 0 && {
      progress: Object.fromEntries(
        // Parts that are repeated or made besides must not exceed the total.
        steps.map(([step, of]) => [step, { done: Math.min(done?.[step] ?? 0, of), of }]),
      ),
    }),
    ...(waiting !== null && { waiting }),
    ...(status === 'completed' && { data: result }),
    ...(status === 'failed' && error !== null && { error }),
    ...(warnings.length > 0 && { warnings }),
  }
}

const finalStatuses = new Set(['completed', 'failed', 'cancelled'])

const READ_STATUS = `
SELECT status, progress AS parts, result, error, warnings, ${WAITING_COLUMNS},
  CASE WHEN status NOT IN ('completed', 'failed', 'cancelled') THEN (
    SELECT jsonb_object_agg(step, done) FROM (
      SELECT step, count(*) AS done FROM generation_part AS part
      WHERE part.job_id = generation_job.id GROUP BY step) AS steps
  ) END AS done
FROM generation_job WHERE id = :id::uuid AND account_id = :accountId::uuid AND kind = :kind::text`

/** What a kind of job makes, in a sentence. */
export const kindLabels: Record<JobKind, string> = {
  document: 'a document',
  audio: 'audio',
  image: 'an image',
}

const parts = z.object({ done: z.int(), of: z.int() })

const job = { success: z.literal(true), id: uuid, warnings: jobWarningsSchema }

export const statusSchema = (kind: JobKind) =>
  z.union([
    z.object({
      ...job,
      status: z.enum(['pending', ...stepsOf[kind]]),
      progress: z
        .object(Object.fromEntries(stepsOf.document.map((step) => [step, parts.optional()])))
        .optional()
        .describe('Of each step that has parts so far, how many are done; absent where none has any.'),
      waiting: waitingSchema.optional().describe('Absent while nothing keeps it from going on.'),
    }),
    z.object({ ...job, status: z.literal('completed'), data: resultSchemas[kind] }),
    z.object({ ...job, status: z.literal('failed'), error: jobErrorSchema }),
    z.object({ ...job, status: z.literal('cancelled') }),
  ])
