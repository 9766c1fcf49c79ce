import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { gather } from '../../database/gather.ts'
import { storableJson } from '../../database/storable.ts'
import { inTransaction, type Queryable } from '../../database/transaction.ts'
import type { Warning } from '../../errors.ts'
import { persist } from '../../jobs/persist.ts'
import type { JobContext } from './context.ts'
import { FencedOff } from './interruptions.ts'
import { type JobLedger, SHARES_BELOW } from './ledger.ts'
import { type Ending, jobEvent, jobNotification, stepNotification } from './notifications.ts'
import type { JobRow } from './row.ts'
import { END, type Writing, writeAll } from './statements.ts'

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
  const { leaseS } = context.timing
  const writing = writingOf(ended, ending)
  const delivers = ending.status === 'completed' && 'delivery' in row.request && row.request.delivery !== null
  // A failure gives credits back: what locks accounts has a statement of its own.
  if (!delivers)
    return persist(context, () =>
      ending.status === 'completed' && isShared(writing)
        ? storeShared(pool, leaseS, writing, ending)
        : store(pool, leaseS, writing, ending),
    )
  const body = Buffer.from(jobEvent(row, ending).body)
  const delivered = await persist(context, () =>
    inTransaction(pool, async (database) => {
      await store(database, leaseS, writing, ending)
      return deliver(database, { accountId: row.account_id, body })
    }),
  )
  delivered.stored()
  if (delivered.refusal !== null)
    log.error({ job: row.id, reason: delivered.refusal }, 'a finished document was not understood by intake')
}

async function store(database: Queryable, leaseS: number, writing: Writing, ending: Ending): Promise<void> {
  const [written] = await writeAll(database, END[ending.status], leaseS, [writing])
  if (written === undefined) throw new FencedOff(writing.id)
}

/** What is not large, and needs no transaction of its own, shares its statement with what ends in the same moment. */
async function storeShared(pool: Pool, leaseS: number, writing: Writing, ending: Ending): Promise<void> {
  const kind = END[ending.status]
  const written = await gather(pool, `generation ${kind.name}`, writing, (all) =>
    writeAll(pool, kind, leaseS, all),
  )
  if (written === undefined) throw new FencedOff(writing.id)
}

function writingOf({ row, ledger, warnings }: Ended, ending: Ending): Writing {
  const error = ending.status === 'failed' ? ending.error : undefined
  const notifications = [
    stepNotification(row, { step: row.status, ...(error && { error }) }),
    jobNotification(row, ending),
  ].filter((one) => one !== null)
  return {
    id: row.id,
    fence: row.fence,
    progress: ledger.unwritten,
    values: {
      outcome: storableJson(ending.status === 'failed' ? ending.error : ending.data),
      warnings: storableJson(warnings),
      told: JSON.stringify(notifications.map((one) => ({ id: uuid(), ...one }))),
    },
  }
}

const isShared = ({ values }: Writing): boolean =>
  Object.values(values).every((value) => String(value).length < SHARES_BELOW)
