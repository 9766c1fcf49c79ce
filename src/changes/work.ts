import type { Pool } from 'pg'
import type { Worker } from '../jobs/task.ts'
import { purgeChanges } from './retention.ts'

/** What the streams need done beside them: that old changes are forgotten. */
export const changeWork =
  (pool: Pool): Worker =>
  () => ({ tasks: [], sweep: { rarely: () => purgeChanges(pool) } })
