import type { Pool } from 'pg'
import { z } from 'zod'
import { named } from '../database/statement.ts'
import { createTask, defineJob, type WorkFactory } from '../jobs/job.ts'
import { pluralize } from '../lib/text.ts'
import { NotificationSender, type SenderNeeds } from './sender.ts'

interface NotificationNeeds extends SenderNeeds {
  /** Days that bodies and attempts are kept; 0 for ever. */
  retentionDays: number
}

/** What notifications need done: their sending, and the removal of what is old. */
export const notificationWork =
  ({ retentionDays, ...needs }: NotificationNeeds): WorkFactory =>
  ({ stopping }) => ({
    tasks: [
      createTask(
        notificationRetentionJob,
        async () => {
          if (retentionDays === 0) return
          const notifications = await purgeNotifications(needs.pool, retentionDays)
          needs.log.info({ notifications }, `purged what is older than ${pluralize(retentionDays, 'day')}`)
        },
        '27 3 * * *',
      ),
    ],
    beside: () => new NotificationSender(needs).run(stopping),
  })

/** Purges what is old; planned by its timetable alone. */
const notificationRetentionJob = defineJob({ name: 'notification_retention', payload: z.object({}) })

/** Rows a statement: short enough that nobody waits behind it. */
const PURGE_BATCH = 1_000

/**
 * Purges the bodies and attempts of notifications that ended, acknowledged or failed, and are older than `days`. The rows
 * stay: what was told to whom, and how it ended.
 *
 * @returns how many were purged
 */
export async function purgeNotifications(pool: Pool, days: number): Promise<number> {
  let total = 0
  for (;;) {
    const { rowCount } = await pool.query(named(PURGE, { days }))
    total += rowCount ?? 0
    if ((rowCount ?? 0) < PURGE_BATCH) return total
  }
}

const PURGE = `
  WITH old AS (
    SELECT id FROM notification
    WHERE body IS NOT NULL AND status <> 'waiting' AND leased_by IS NULL AND repeat_at IS NULL
      AND created_at < now() - make_interval(days => :days)
    ORDER BY created_at, id LIMIT ${PURGE_BATCH}
    FOR UPDATE SKIP LOCKED
  ), tries AS (
    DELETE FROM notification_attempt WHERE notification_id IN (SELECT id FROM old)
  )
  UPDATE notification n SET body = NULL FROM old WHERE n.id = old.id RETURNING n.id`
