import { v7 as uuid } from 'uuid'
import { refundCredits } from '../../accounts/credits.ts'
import { named } from '../../database/named.ts'
import { storableJson } from '../../database/storable.ts'
import { inTransaction, type Queryable } from '../../database/transaction.ts'
import type { Warning } from '../../errors.ts'
import { persist } from '../../jobs/persist.ts'
import { putIntoOutbox } from '../../notifications/outbox.ts'
import type { JobContext } from './context.ts'
import { FencedOff } from './interruptions.ts'
import type { JobLedger, Notification } from './ledger.ts'
import { type Ending, jobEvent, jobNotification, stepNotification } from './notifications.ts'
import type { JobRow } from './row.ts'

/** A claim that ends its job. */
export interface Ended {
  row: JobRow
  ledger: JobLedger
  warnings: readonly Warning[]
}

/**
 * Ends a job, in one transaction: how it ended, the refund of one that failed, what its account is told, and the event that
 * takes a finished document to its site.
 *
 * @throws FencedOff where the claim counts no more, and nothing was stored
 */
export async function endJob(context: JobContext, ended: Ended, ending: Ending): Promise<void> {
  const { pool, deliver, log } = context
  const { row } = ended
  const delivers = ending.status === 'completed' && 'delivery' in row.request && row.request.delivery !== null
  if (!delivers) return persist(context, () => store(pool, ended, ending))
  const body = Buffer.from(jobEvent(row, ending).body)
  const delivered = await persist(context, () =>
    inTransaction(pool, async (database) => {
      await store(database, ended, ending)
      return deliver(database, { accountId: row.account_id, body })
    }),
  )
  delivered.stored()
  if (delivered.refusal !== null)
    log.error({ job: row.id, reason: delivered.refusal }, 'a finished document was not understood by intake')
}

async function store(database: Queryable, { row, ledger, warnings }: Ended, ending: Ending): Promise<void> {
  const error = ending.status === 'failed' ? ending.error : undefined
  const notifications = [
    stepNotification(row, { step: row.status, ...(error && { error }) }),
    jobNotification(row, ending),
  ].filter((one): one is Notification => one !== null)
  const { rowCount } = await database.query({
    name: `end-job-${ending.status}`,
    ...named(ending.status === 'failed' ? FAILED : COMPLETED, {
      id: row.id,
      fence: row.fence,
      status: ending.status,
      progress: ledger.unwritten,
      outcome: storableJson(ending.status === 'failed' ? ending.error : ending.data),
      warnings: storableJson(warnings),
      notificationIds: notifications.map(() => uuid()),
      events: notifications.map(({ event }) => event),
      urls: notifications.map(({ url }) => url),
      bodies: notifications.map(({ body }) => body),
    }),
  })
  if (rowCount === 0) throw new FencedOff(row.id)
}

const statement = (column: 'result' | 'error', more: string): string => `
WITH ended AS (
  UPDATE generation_job j SET status = :status, ${column} = :outcome, warnings = :warnings, due_at = NULL, leased_by = NULL,
    ended_at = now(), progress = j.progress || :progress::jsonb
  WHERE j.id = :id AND j.fence = :fence AND j.leased_by IS NOT NULL
  RETURNING j.id, j.account_id
), notifications AS (
  SELECT given.*, ended.account_id, ended.id AS subject_id
  FROM ended, unnest(:notificationIds::uuid[], :events::text[], :urls::text[], :bodies::text[]) AS given (id, event, url, body)
), stored AS (${putIntoOutbox('notifications')}
)${more}
SELECT id FROM ended`

const COMPLETED = statement('result', '')
const FAILED = statement('error', `, ${refundCredits('ended')}`)
