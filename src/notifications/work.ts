import type { Worker } from '../jobs/task.ts'
import { task } from '../jobs/task.ts'
import { counted } from '../text.ts'
import { notificationRetentionJob } from './jobs.ts'
import { purgeNotifications } from './retention.ts'
import { Sender, type SenderNeeds } from './sender.ts'

export interface NotificationNeeds extends SenderNeeds {
  /** Days that bodies and attempts are kept; 0 for ever. */
  retentionDays: number
}

/** What notifications need done: their sending, and the removal of what is old. */
export const notificationWork =
  ({ retentionDays, ...needs }: NotificationNeeds): Worker =>
  ({ stopping }) => ({
    tasks: [
      task(
        notificationRetentionJob,
        async () => {
          if (retentionDays === 0) return
          const notifications = await purgeNotifications(needs.pool, retentionDays)
          needs.log.info({ notifications }, `purged what is older than ${counted(retentionDays, 'day')}`)
        },
        '27 3 * * *',
      ),
    ],
    beside: () => new Sender(needs).run(stopping),
  })
