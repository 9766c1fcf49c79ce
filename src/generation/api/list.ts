import type { Pool } from 'pg'
import type { JobKind, Requests } from '../../contract/generation/requests.ts'
import type { JobError } from '../../contract/generation/results.ts'
import { named } from '../../database/named.ts'
import { type Page, type PageRequest, toPage } from '../../paging.ts'
import type { JobFilter, JobView } from './job-schemas.ts'

/** A job as {@link COLUMNS} have it. */
export interface JobColumns {
  id: string
  kind: JobKind
  status: JobView['status']
  title: string | null
  price: number
  error: JobError | null
  site_id: string | null
  created_at: Date
  started_at: Date | null
  ended_at: Date | null
}

/** Characters of what was asked for that stand in the place of a title. */
const LONGEST_TITLE = 200

export const COLUMNS = `id, kind, status, price, error, request #>> '{delivery,id}' AS site_id, created_at, started_at,
  ended_at, left(coalesce(result ->> 'title', request ->> 'prompt', request ->> 'text'), ${LONGEST_TITLE}) AS title`

interface JobsRequest extends PageRequest, JobFilter {
  accountId: string
  /** The only ones that may be among them, of this page; all where left out. */
  ids?: string[] | undefined
}

const CONDITIONS = {
  kind: 'kind = :kind::text',
  status: 'status = ANY (:status::text[])',
  cursor: 'id < :cursor::uuid',
  ids: 'id = ANY (:ids::uuid[])',
} as const

/** The jobs of an account, the newest first. */
export async function listJobs(
  pool: Pool,
  { accountId, limit, ...filter }: JobsRequest,
): Promise<Page<JobView>> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  const conditions = given.map(([name]) => ` AND ${CONDITIONS[name as keyof typeof CONDITIONS]}`).join('')
  const { rows } = await pool.query<JobColumns>(
    named(
      `SELECT ${COLUMNS} FROM generation_job WHERE account_id = :accountId::uuid${conditions}
       ORDER BY id DESC LIMIT :limit::int + 1`,
      { accountId, limit, ...Object.fromEntries(given) },
    ),
  )
  const { items, nextCursor } = toPage(rows, limit)
  return { items: items.map(jobView), nextCursor }
}

/** A row as it is shown. */
export const jobView = (row: JobColumns): JobView => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  title: row.title ?? '',
  price: row.price,
  error: row.error,
  site_id: row.site_id,
  created_at: row.created_at.toISOString(),
  started_at: row.started_at?.toISOString() ?? null,
  ended_at: row.ended_at?.toISOString() ?? null,
})

/** What was asked for, of whichever kind. */
export type AnyRequest = Requests[JobKind]
