import type { Pool } from 'pg'
import { execute, MANY_ROWS, queryRows } from '../../database/statement.ts'
import type { RowSource } from '../../database/transaction.ts'
import { addJob } from '../../jobs/job.ts'
import { addSiteWorker, resumeSourceJob } from '../jobs.ts'
import { transition, transitionAllowed } from './state.ts'

type SourceId = Record<'accountId' | 'id', string>

/** The end of a statement: lets the deliveries of `waiting` go on; `resumed`: how many. @param beside what else it selects */
export const resumeWaiting = (why: string, beside = ''): string => `resumed AS (
    UPDATE delivery d SET ${transition('resume', { to: 'queued', due: 'now()' })}, error = NULL, attempts = 0, site_failures = 0
    FROM waiting WHERE d.id = waiting.id RETURNING d.id, d.account_id, d.site_id
  ), recorded AS (
    INSERT INTO delivery_step (delivery_id, step, outcome, detail) SELECT id, 'plan', 'queued', '${why}' FROM resumed
  ), site_jobs AS (
    SELECT ${addSiteWorker('account_id', 'site_id')}
    FROM (SELECT DISTINCT account_id, site_id FROM resumed ORDER BY account_id, site_id) AS due
  )
  SELECT (SELECT count(*)::int FROM resumed) AS resumed, (SELECT count(*) FROM site_jobs)${beside}`

const WHY = 'the upstream of its source has another address or key'

const WAITS_FOR_SOURCE = `d.account_id = :accountId AND ${transitionAllowed('resume', 'd')} AND d.error ->> 'code' = 'upstream_refused'`

/** In the same statement: the process may end before the next batch. */
const QUEUE_REST = `, (SELECT ${addJob(resumeSourceJob, { accountId: ':accountId::uuid', id: ':id::uuid' })}::text
    FROM (SELECT count(*) FROM resumed) AS of WHERE count = ${MANY_ROWS})`

/** Starts again, {@link MANY_ROWS} now and the others by a job, what was held because a source's upstream refused Galley. */
export async function resumeSource(database: RowSource, { accountId, id }: SourceId): Promise<void> {
  await queryRows(
    database,
    `WITH waiting AS (
       SELECT d.id FROM delivery d
       WHERE ${WAITS_FOR_SOURCE} AND (SELECT e.source_id FROM event e WHERE e.id = d.wanted_event_id) = :id::uuid
       ORDER BY d.site_id, d.document_id LIMIT ${MANY_ROWS} FOR UPDATE OF d
     ), ${resumeWaiting(WHY, QUEUE_REST)}`,
    { accountId, id },
  )
}

/** Starts one again that was held in the moment in which its source got another address or key. To be called once it is held. */
export async function resumeIfSourceRecovered(
  pool: Pool,
  { id, account_id: accountId }: { id: string; account_id: string },
): Promise<void> {
  // By a statement of its own, which waits for a change that is being stored: the next one then sees it.
  await execute(
    pool,
    `SELECT FROM source WHERE id = (
       SELECT e.source_id FROM delivery d JOIN event e ON e.id = d.wanted_event_id WHERE d.id = :id) FOR SHARE`,
    { id },
  )
  await execute(
    pool,
    `WITH waiting AS (
       SELECT d.id FROM delivery d
       WHERE d.id = :id AND ${WAITS_FOR_SOURCE} AND EXISTS (
         SELECT FROM event e JOIN source s ON s.id = e.source_id
         WHERE e.id = d.wanted_event_id AND s.upstream_trouble IS NULL)
       FOR UPDATE OF d
     ), ${resumeWaiting(WHY)}`,
    { id, accountId },
  )
}
