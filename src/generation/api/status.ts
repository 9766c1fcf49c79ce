import type { Pool } from 'pg'
import type { JobKind } from '../../contract/generation/requests.ts'
import type { JobError, Results } from '../../contract/generation/results.ts'
import { named } from '../../database/named.ts'
import { GalleyError, type Warning } from '../../errors.ts'

interface Row {
  status: string
  parts: number | null
  done: number
  result: unknown
  error: JobError | null
  warnings: Warning[]
}

/** How far a job is, as its status says it (docs/contract.md). */
export interface JobStatus<Kind extends JobKind> {
  id: string
  status: string
  progress?: { done: number; of: number }
  data?: Results[Kind]
  error?: JobError
  warnings?: Warning[]
}

/** @throws GalleyError 404: unknown, of another account, or of another kind */
export async function jobStatus<Kind extends JobKind>(
  pool: Pool,
  { accountId, kind, id }: { accountId: string; kind: Kind; id: string },
): Promise<JobStatus<Kind>> {
  const { rows } = await pool.query<Row>({
    name: 'generation-status',
    ...named(STATEMENT, { accountId, kind, id }),
  })
  const [row] = rows
  if (row === undefined) throw jobUnknown(kind, id)
  const { status, parts, done, result, error, warnings } = row
  return {
    id,
    status,
    // What a step repeats, or does beside its parts, is not more than all of it.
    ...(parts !== null && { progress: { done: Math.min(done, parts), of: parts } }),
    ...(status === 'completed' && { data: result as Results[Kind] }),
    ...(status === 'failed' && error !== null && { error }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** `progress` holds steps alone, so that a job that has ended has none. */
const STATEMENT = `
SELECT status, (progress ->> status)::int AS parts, result, error, warnings,
  (SELECT count(*) FROM generation_part AS part
    WHERE part.job_id = job.id AND part.step = job.status AND part.answered_at IS NOT NULL)::int AS done
FROM generation_job AS job
WHERE id = :id::uuid AND account_id = :accountId::uuid AND kind = :kind::text`

const jobUnknown = (kind: JobKind, id: string) =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: `This account has no job ${id} that makes ${things[kind]}. The id is the one that POST /v1/${kind}/create answered.`,
  })

const things: Record<JobKind, string> = { document: 'a document', audio: 'audio', image: 'an image' }
