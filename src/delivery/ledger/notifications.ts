import { isoInstant } from '../../database/statement.ts'
import type { Logger } from '../../log/log.ts'
import type { NotificationSource } from '../../notifications/notify.ts'

const NOTIFIED_COLUMNS =
  `id account_id site_id document_id reference title source_id status attempts error warnings
  post_id post_url post_edit_url post_status withdraw_to
  post_modified_at post_modified_by post_publish_at post_seen_at created_at updated_at`.split(/\s+/)

/** What is returned of a delivery by whoever tells of it: a `RETURNING` list. @param d of `delivery` */
export const notifiedColumns = (d: string): string =>
  NOTIFIED_COLUMNS.map((column) => `${d}.${column}`).join(', ')

/** SQL of the post of a delivery, as answers and notifications have it. @param d of `delivery` */
export const postJson = (d: string): string =>
  `CASE WHEN ${d}.post_id IS NOT NULL THEN json_build_object('id', ${d}.post_id, 'url', ${d}.post_url,
    'edit_url', ${d}.post_edit_url, 'status', ${d}.post_status, 'modified_at', ${isoInstant(`${d}.post_modified_at`)},
    'modified_by', ${d}.post_modified_by, 'publish_at', ${isoInstant(`${d}.post_publish_at`)},
    'seen_at', ${isoInstant(`${d}.post_seen_at`)}) END`

const DATA = `json_build_object('id', told.id, 'document_id', told.document_id,
  'reference', told.reference, 'title', told.title, 'source', CASE WHEN told.source_id IS NOT NULL THEN json_build_object('id', told.source_id, 'name',
    (SELECT name FROM source WHERE source.id = told.source_id AND source.account_id = told.account_id
       AND source.removed_at IS NULL)) END,
  'site_id', told.site_id,
  'status', told.status,
  'post', ${postJson('told')},
  'withdraw_to', told.withdraw_to, 'warnings', told.warnings, 'attempts', told.attempts, 'next_attempt_at', NULL, 'error', told.error,
  'created_at', ${isoInstant('told.created_at')}, 'updated_at', ${isoInstant('told.updated_at')},
  'site', CASE WHEN site.id IS NOT NULL THEN json_build_object('id', site.id, 'name', site.name, 'url', site.url,
    'labels', site.labels) END)`

/** That something became of deliveries. @param relation with {@link notifiedColumns}, as they are now */
export const deliveryNotification = (relation: string, event: string): NotificationSource => ({
  relation,
  event,
  subject: 'told.id',
  site: 'told.site_id',
  data: DATA,
})

/** That deliveries came to rest. Of those that stopped with their site, the site is told (outage.ts). @param which a condition on `told` */
export const deliveryNotifications = (relation: string, which = 'true'): NotificationSource =>
  deliveryNotification(
    relation,
    // One event each: whoever asks for those with losses hears of these by that.
    `CASE WHEN told.status NOT IN ('delivered', 'withdrawn', 'held', 'failed') OR NOT (${which}) THEN NULL
    WHEN told.status = 'delivered' AND told.warnings @> '[{"severity": "loss"}]' AND 'delivery.incomplete' = ANY (r.events)
      THEN 'delivery.incomplete'
    ELSE 'delivery.' || told.status END`,
  )

/** A delivery that was held without an attempt: nothing can be sent to its site. */
export interface HeldLogEntry {
  delivery: string
  document: string
  site: string
  code: string
}

/** As of every delivery that ended, a line of each; to be called once that is stored. */
export function logHeldDeliveries(log: Logger, all: readonly HeldLogEntry[]): void {
  for (const held of all) log.info({ ...held, outcome: 'held' }, 'delivery ended')
}
