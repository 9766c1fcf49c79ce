import type { Pool } from 'pg'
import { z } from 'zod'
import type { JobKind } from '../../contract/generation/requests.ts'
import {
  type GenerationStep,
  type JobError,
  jobErrorSchema,
  type ResultByKind,
  resultSchemas,
} from '../../contract/generation/results.ts'
import { uuid } from '../../contract/scalars.ts'
import { batched } from '../../database/batched.ts'
import { named } from '../../database/statement.ts'
import { GalleyError, type Warning } from '../../errors.ts'

interface JobStatusRow {
  status: string
  /** Number of parts of each step, and of those done. */
  parts: Partial<Record<GenerationStep, number>>
  done: Partial<Record<GenerationStep, number>> | null
  result: unknown
  error: JobError | null
  warnings: Warning[]
}

/** A job's progress, as its status shows it (docs/contract.md). */
interface JobStatus<Kind extends JobKind> {
  id: string
  status: string
  progress?: Partial<Record<GenerationStep, { done: number; of: number }>>
  data?: ResultByKind[Kind]
  error?: JobError
  warnings?: Warning[]
}

export async function jobStatus<Kind extends JobKind>(
  pool: Pool,
  { accountId, kind, id }: { accountId: string; kind: Kind; id: string },
): Promise<JobStatus<Kind>> {
  const row = await batched(pool, 'generation-status', { accountId, kind, id }, (jobs) =>
    readStatuses(pool, jobs),
  )
  if (row === undefined) throw jobUnknown(kind, id)
  const { status, parts, done, result, error, warnings } = row
  const steps = status in finalStatuses ? [] : (Object.entries(parts) as [GenerationStep, number][])
  return {
    id,
    status,
    ...(steps.length > 0 && {
      progress: Object.fromEntries(
        // Parts that are repeated or made besides must not exceed the total.
        steps.map(([step, of]) => [step, { done: Math.min(done?.[step] ?? 0, of), of }]),
      ),
    }),
    ...(status === 'completed' && { data: result as ResultByKind[Kind] }),
    ...(status === 'failed' && error !== null && { error }),
    ...(warnings.length > 0 && { warnings }),
  }
}

interface StatusQuery {
  accountId: string
  kind: JobKind
  id: string
}

/** Batched: statuses asked for in one tick are one statement. */
async function readStatuses(
  pool: Pool,
  wanted: readonly StatusQuery[],
): Promise<(JobStatusRow | undefined)[]> {
  const { rows } = await pool.query<JobStatusRow & { place: number }>({
    name: 'generation-status',
    ...named(READ_STATUSES, {
      ids: wanted.map(({ id }) => id),
      accountIds: wanted.map(({ accountId }) => accountId),
      kinds: wanted.map(({ kind }) => kind),
    }),
  })
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  return wanted.map((_, index) => byPlace.get(index + 1))
}

/** Ended jobs have a result or an error. */
const finalStatuses = { completed: true, failed: true }

const READ_STATUSES = `
SELECT wanted.place::int AS place, status, progress AS parts, result, error, warnings,
  CASE WHEN status NOT IN ('completed', 'failed') THEN (
    SELECT jsonb_object_agg(step, done) FROM (
      SELECT step, count(*) AS done FROM generation_part AS part
      WHERE part.job_id = job.id AND part.answered_at IS NOT NULL GROUP BY step) AS steps
  ) END AS done
FROM unnest(:ids::uuid[], :accountIds::uuid[], :kinds::text[]) WITH ORDINALITY AS wanted (id, account_id, kind, place)
JOIN generation_job AS job USING (id, account_id, kind)`

const jobUnknown = (kind: JobKind, id: string) =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: `This account has no job ${id} that makes ${kindLabels[kind]}. The id is the one that POST /v1/${kind}/create answered.`,
  })

const kindLabels: Record<JobKind, string> = { document: 'a document', audio: 'audio', image: 'an image' }

const openStatuses: Record<JobKind, [string, ...string[]]> = {
  document: ['pending', 'researching', 'generating', 'images', 'audio'],
  audio: ['pending', 'generating'],
  image: ['pending', 'generating'],
}

const steps = ['researching', 'generating', 'images', 'audio'] as const satisfies readonly GenerationStep[]
const parts = z.object({ done: z.int(), of: z.int() })

const job = { success: z.literal(true), id: uuid }

const warnings = z
  .array(z.object({ code: z.string(), message: z.string() }))
  .optional()
  .describe('What a person should know that did not stop it; absent where there is nothing.')

export const statusSchema = (kind: JobKind) =>
  z.union([
    z.object({
      ...job,
      status: z.enum(openStatuses[kind]),
      progress: z
        .object(Object.fromEntries(steps.map((step) => [step, parts.optional()])))
        .optional()
        .describe('Of each step that has parts so far, how many are done; absent where none has any.'),
      warnings,
    }),
    z.object({ ...job, status: z.literal('completed'), data: resultSchemas[kind], warnings }),
    z.object({ ...job, status: z.literal('failed'), error: jobErrorSchema, warnings }),
  ])
