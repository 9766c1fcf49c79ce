import type { Pool } from 'pg'
import type { JobKind } from '../../contract/generation/requests.ts'
import type { JobError, Results, Step } from '../../contract/generation/results.ts'
import { gather } from '../../database/gather.ts'
import { named } from '../../database/named.ts'
import { GalleyError, type Warning } from '../../errors.ts'

interface Row {
  status: string
  /** How many parts each step has, and how many of them are done. */
  parts: Partial<Record<Step, number>>
  done: Partial<Record<Step, number>> | null
  result: unknown
  error: JobError | null
  warnings: Warning[]
}

/** How far a job is, as its status says it (docs/contract.md). */
export interface JobStatus<Kind extends JobKind> {
  id: string
  status: string
  progress?: Partial<Record<Step, { done: number; of: number }>>
  data?: Results[Kind]
  error?: JobError
  warnings?: Warning[]
}

/** @throws GalleyError 404: unknown, of another account, or of another kind */
export async function jobStatus<Kind extends JobKind>(
  pool: Pool,
  { accountId, kind, id }: { accountId: string; kind: Kind; id: string },
): Promise<JobStatus<Kind>> {
  const row = await gather(pool, 'generation-status', { accountId, kind, id }, (jobs) => stored(pool, jobs))
  if (row === undefined) throw jobUnknown(kind, id)
  const { status, parts, done, result, error, warnings } = row
  const steps = status in ended ? [] : (Object.entries(parts) as [Step, number][])
  return {
    id,
    status,
    ...(steps.length > 0 && {
      progress: Object.fromEntries(
        // What a step repeats, or does beside its parts, is not more than all of it.
        steps.map(([step, of]) => [step, { done: Math.min(done?.[step] ?? 0, of), of }]),
      ),
    }),
    ...(status === 'completed' && { data: result as Results[Kind] }),
    ...(status === 'failed' && error !== null && { error }),
    ...(warnings.length > 0 && { warnings }),
  }
}

interface Wanted {
  accountId: string
  kind: JobKind
  id: string
}

/** How these jobs stand, in their order: what is asked in the same moment is one statement. */
async function stored(pool: Pool, wanted: readonly Wanted[]): Promise<(Row | undefined)[]> {
  const { rows } = await pool.query<Row & { place: number }>({
    name: 'generation-status',
    ...named(STATEMENT, {
      ids: wanted.map(({ id }) => id),
      accountIds: wanted.map(({ accountId }) => accountId),
      kinds: wanted.map(({ kind }) => kind),
    }),
  })
  const byPlace = new Map(rows.map((row) => [row.place, row]))
  return wanted.map((_, index) => byPlace.get(index + 1))
}

/** What has ended has a result, or an error, and is not on its way any more. */
const ended = { completed: true, failed: true }

const STATEMENT = `
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
    message: `This account has no job ${id} that makes ${things[kind]}. The id is the one that POST /v1/${kind}/create answered.`,
  })

const things: Record<JobKind, string> = { document: 'a document', audio: 'audio', image: 'an image' }
