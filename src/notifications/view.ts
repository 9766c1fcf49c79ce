import type { Notification, PrismaClient } from '../database/generated/client.ts'
import { type Page, type PageRequest, toPage } from '../paging.ts'
import { type NotificationId, notificationUnknown } from './repeat.ts'
import {
  type DetailedNotification,
  detailedNotificationSchema,
  type NotificationStatus,
  type NotificationView,
  notificationSchema,
} from './schema.ts'

/** Attempts that are shown of one: the timetable has four, and a person may ask for any number. */
const MOST_TRIES = 100

interface Filter {
  /** The only ones that may be among them, of this page; all where left out. */
  ids?: string[] | undefined
  status?: NotificationStatus | undefined
  subjectId?: string | undefined
  receiverId?: string | undefined
  event?: string | undefined
}

/** The notifications of an account, the newest first. */
export async function listNotifications(
  prisma: PrismaClient,
  { accountId, ids, limit, cursor, ...filter }: PageRequest & Filter & { accountId: string },
): Promise<Page<NotificationView>> {
  const rows = await prisma.notification.findMany({
    where: {
      accountId,
      ...filter,
      id: { ...(cursor !== undefined && { lt: cursor }), ...(ids && { in: ids }) },
    },
    omit: { body: true },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  const { items, nextCursor } = toPage(rows, limit)
  return { items: items.map((row) => notificationSchema.parse(view(row))), nextCursor }
}

/** One notification, with what was sent and every attempt. @throws GalleyError 404 */
export async function getNotification(
  prisma: PrismaClient,
  notification: NotificationId,
): Promise<DetailedNotification> {
  const row = await prisma.notification.findFirst({
    where: { ...notification },
    include: { tries: { orderBy: { id: 'desc' }, take: MOST_TRIES } },
  })
  if (row === null) throw notificationUnknown(notification)
  return detailedNotificationSchema.parse({
    ...view(row),
    body: row.body === null ? null : Buffer.from(row.body).toString('utf8'),
    tries: row.tries.toReversed().map(({ at, tookMs, httpStatus, error, byHand }) => ({
      at: at.toISOString(),
      took_ms: tookMs,
      http_status: httpStatus,
      error,
      by_hand: byHand,
    })),
  })
}

const view = (row: Omit<Notification, 'body'>) => ({
  id: row.id,
  event: row.event,
  subject_id: row.subjectId,
  receiver_id: row.receiverId,
  url: row.url,
  status: row.status,
  attempts: row.attempts,
  next_attempt_at: row.dueAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
})
