import type { Pool } from 'pg'
import type { ByteBudget } from '../../bytes/index.ts'
import type { Heartbeat } from '../../jobs/heartbeat.ts'
import type { SharedExclusiveLock } from '../../jobs/shared-exclusive-lock.ts'
import type { Timing } from '../../jobs/timing.ts'
import type { Logger } from '../../log.ts'
import type { Outbound } from '../../outbound/index.ts'
import type { Upstreams } from '../../upstream/ask.ts'
import type { FindStoredFile } from '../../wordpress/media/index.ts'

export interface SiteWorkerContext {
  pool: Pool
  outbound: Outbound
  /** The files that Galley itself keeps. */
  findStored: FindStoredFile
  /** For sources that have their documents confirmed. */
  upstreams: Upstreams
  budget: ByteBudget
  log: Logger
  timing: Timing
  /** Of this process: its id stands in leases, and it renews them. */
  heartbeat: Heartbeat
  /** Who delivers beside whom in this process. */
  lock: SharedExclusiveLock
  /** Aborted when the process is asked to stop: what is under way finishes, nothing new is claimed. */
  stopping: AbortSignal
}
