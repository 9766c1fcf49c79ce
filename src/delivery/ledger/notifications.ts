import type { Logger } from '../../log/log.ts'
import { isoInstant, type NotificationSource } from '../../notifications/notify.ts'

/** What is returned of a delivery by whoever tells of it: a `RETURNING` list. @param d of `delivery` */
export const notifiedColumns = (d: string): string =>
  [
    ...[
      'id',
      'account_id',
      'site_id',
      'document_id',
      'title',
      'source_id',
      'status',
      'attempts',
      'error',
      'warnings',
    ],
    ...['post_id', 'post_url', 'post_edit_url', 'post_status', 'created_at', 'updated_at'],
  ]
    .map((column) => `${d}.${column}`)
    .join(', ')

/** A delivery as the API shows it, and its site. */
const DATA = `json_build_object('id', told.id, 'document_id', told.document_id,
  'title', told.title, 'source', CASE WHEN told.source_id IS NOT NULL THEN json_build_object('id', told.source_id, 'name',
    (SELECT name FROM source WHERE source.id = told.source_id AND source.account_id = told.account_id
       AND source.removed_at IS NULL)) END,
  'site_id', told.site_id,
  'status', told.status,
  'post', CASE WHEN told.post_id IS NOT NULL THEN json_build_object('id', told.post_id, 'url', told.post_url,
    'edit_url', told.post_edit_url, 'status', told.post_status) END,
  'warnings', told.warnings, 'attempts', told.attempts, 'next_attempt_at', NULL, 'error', told.error,
  'created_at', ${isoInstant('told.created_at')}, 'updated_at', ${isoInstant('told.updated_at')},
  'site', CASE WHEN site.id IS NOT NULL THEN json_build_object('id', site.id, 'name', site.name, 'url', site.url,
    'labels', site.labels) END)`

/**
 * That deliveries came to rest: delivered, held, or failed. Those that stopped with their site are not told one by one: the
 * site is ({@link sites/health/outage.ts}).
 *
 * @param relation with {@link notifiedColumns}, as they are now
 * @param which a condition on `told`: what somebody is told of
 */
export const deliveryNotifications = (relation: string, which = 'true'): NotificationSource => ({
  relation,
  event: `CASE WHEN told.status IN ('delivered', 'held', 'failed') AND ${which} THEN 'delivery.' || told.status END`,
  subject: 'told.id',
  site: 'told.site_id',
  data: DATA,
})

/** A delivery that was held without an attempt: nothing can be sent to its site. */
export interface HeldLogEntry {
  delivery: string
  document: string
  site: string
  /** Why. */
  code: string
}

/** As of every delivery that ended, a line of each; to be called once that is stored. */
export function logHeldDeliveries(log: Logger, all: readonly HeldLogEntry[]): void {
  for (const held of all) log.info({ ...held, outcome: 'held' }, 'delivery ended')
}
