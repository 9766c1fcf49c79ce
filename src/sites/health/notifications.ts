import { instantOf, type NotificationSource, outcome } from '../../notifications/notify.ts'

/** What is returned of a site by whoever tells of it: a `RETURNING` list. @param site of `site` */
export const notifiedColumns = (site: string): string =>
  ['id', 'account_id', 'name', 'url', 'labels', 'trouble', 'paused_until']
    .map((column) => `${site}.${column}`)
    .join(', ')

const dataOf = (more: string): string => `json_build_object('id', told.id, 'name', told.name, 'url', told.url,
  'labels', told.labels,
  'status', CASE WHEN told.paused_until IS NOT NULL THEN 'paused' WHEN told.trouble IS NOT NULL THEN 'needs_owner'
    ELSE 'connected' END,
  'trouble', told.trouble, 'paused_until', ${instantOf('told.paused_until')}, ${more})`

const RESTS =
  'Nothing for now: Galley checks again by itself, and delivers what is waiting as soon as the site answers. If that takes long, check the site.'

const siteNotification = (relation: string, event: string, more: string): NotificationSource => ({
  relation,
  event,
  subject: 'told.id',
  site: 'told.id',
  data: dataOf(more),
})

/**
 * That a site is in trouble, once for all that waits for it; and once more where it was left alone until now, and from now
 * on waits for its owner, who has not heard of the reason.
 *
 * @param relation with {@link notifiedColumns}, as they are now, and `was` and `was_paused`, trouble and pause until now
 */
export const outageBegan = (relation: string): NotificationSource =>
  siteNotification(
    relation,
    `CASE WHEN told.was IS NULL OR (told.was_paused IS NOT NULL AND told.paused_until IS NULL
       AND told.was ->> 'code' IS DISTINCT FROM told.trouble ->> 'code') THEN ${outcome('site.outage')} END`,
    `'what_to_do', CASE WHEN told.paused_until IS NULL THEN told.trouble ->> 'message' ELSE '${RESTS}' END`,
  )

/** That a site works again. @param relation with {@link notifiedColumns}, as they are now, and `was`, its trouble until now */
export const outageEnded = (relation: string): NotificationSource =>
  siteNotification(
    relation,
    `CASE WHEN told.was IS NOT NULL THEN ${outcome('site.recovered')} END`,
    `'was', told.was, 'what_to_do', NULL`,
  )

/**
 * That the doctor found something worse than the last time.
 *
 * @param relation with {@link notifiedColumns}, and `level` and `worse`: the report's, and its lines that got worse
 */
export const gotWorse = (relation: string): NotificationSource =>
  siteNotification(
    relation,
    `CASE WHEN jsonb_array_length(told.worse) > 0 THEN ${outcome('site.regression')} END`,
    `'level', told.level, 'findings', told.worse, 'what_to_do', (
       SELECT string_agg(coalesce(line ->> 'todo', line ->> 'means'), ' ') FROM jsonb_array_elements(told.worse) AS line)`,
  )
