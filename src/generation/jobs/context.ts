import type { Pool } from 'pg'
import type { JobKind } from '../../contract/generation/requests.ts'
import type { Results } from '../../contract/generation/results.ts'
import type { Queryable } from '../../database/transaction.ts'
import type { Heartbeat } from '../../jobs/heartbeat.ts'
import type { SharedExclusiveLock } from '../../jobs/shared-exclusive-lock.ts'
import type { Timing } from '../../jobs/timing.ts'
import type { Logger } from '../../log.ts'
import type { Storage } from '../storage/types.ts'
import type { Gate } from './gate.ts'
import type { JobRun } from './run.ts'

/** What makes each kind of job, from its first step to its result; what was made before comes out of the store. */
export type Steps = { [Kind in JobKind]: (run: JobRun<Kind>) => Promise<Results[Kind]> }

/** The way of a finished document to its site: its event is stored in the transaction that ends the job. */
export type Deliver = (
  database: Queryable,
  event: { accountId: string; body: Buffer },
) => Promise<{ refusal: string | null; stored(): void }>

/** What one job may have at most. */
export interface BudgetOfJob {
  /** Calls to providers, those left out that made nothing. */
  calls: number
  /** What they cost by the prices in the settings, in millionths of their currency. */
  micros: number
}

/** What a process works on jobs with. */
export interface JobContext {
  pool: Pool
  log: Logger
  timing: Timing
  heartbeat: Heartbeat
  gate: Gate
  lock: SharedExclusiveLock
  storage: Storage
  steps: Steps
  deliver: Deliver
  budgetOfJob: BudgetOfJob
  /** Aborted when the process is asked to stop. */
  stopping: AbortSignal
}
