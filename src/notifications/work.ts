import type { Pool } from 'pg'
import { execute, inBatches, MANY_ROWS } from '../database/statement.ts'
import { createRetentionTask, type WorkFactory } from '../jobs/job.ts'
import { MAIL_LEASE_S } from './claim.ts'
import { MAX_DIGEST_MINUTES } from './receivers/schema.ts'
import { NotificationSender, type SenderNeeds } from './sender.ts'

interface NotificationNeeds extends SenderNeeds {
  /** Days that bodies and attempts are kept; 0 for ever. */
  retentionDays: number
}

export const notificationWork =
  (needs: NotificationNeeds): WorkFactory =>
  ({ stopping }) => ({
    tasks: [
      createRetentionTask('notification_retention', '27 3 * * *', needs, async (days) => ({
        notifications: await purgeNotifications(needs.pool, days),
      })),
    ],
    sweep: {
      dueDates: [
        { table: 'notification', column: 'due_at' },
        { table: 'notification', column: 'repeat_at' },
        { table: 'notification', column: 'leased_until', maxAheadS: MAIL_LEASE_S },
        { table: 'digest_item', column: 'due_at', maxAheadS: (MAX_DIGEST_MINUTES + 1) * 60 },
      ],
    },
    beside: () => new NotificationSender(needs).run(stopping),
  })

/** Purges bodies and attempts of ended notifications; the rows stay. @returns how many */
export const purgeNotifications = (pool: Pool, days: number): Promise<number> =>
  inBatches(MANY_ROWS, () => execute(pool, PURGE, { days }))

const PURGE = `
  WITH old AS (
    SELECT id FROM notification
    WHERE body IS NOT NULL AND status <> 'waiting' AND leased_by IS NULL AND repeat_at IS NULL
      AND created_at < now() - make_interval(days => :days)
    ORDER BY created_at, id LIMIT ${MANY_ROWS}
    FOR UPDATE SKIP LOCKED
  ), tries AS (
    DELETE FROM notification_attempt WHERE notification_id IN (SELECT id FROM old)
  )
  UPDATE notification n SET body = NULL FROM old WHERE n.id = old.id RETURNING n.id`
