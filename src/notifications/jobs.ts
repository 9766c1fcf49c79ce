import { z } from 'zod'
import { defineJob } from '../jobs/job.ts'

/** Purges what is old; planned by its timetable alone. */
export const notificationRetentionJob = defineJob({ name: 'notification_retention', payload: z.object({}) })
