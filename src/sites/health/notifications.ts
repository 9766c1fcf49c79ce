import { eventLiteral, isoInstant, type NotificationSource } from '../../notifications/notify.ts'
import { siteStateSql, stateSinceSql } from './state.ts'

/** The `RETURNING` list of a site for notifications. @param site alias of `site` */
export const notifiedSiteColumns = (site: string): string => {
  const columns = ['id', 'account_id', 'name', 'url', 'labels', 'trouble', 'paused_until']
  return `${columns.map((column) => `${site}.${column}`).join(', ')}, ${siteStateSql(site)} AS state,
    ${stateSinceSql(site)} AS since`
}

const notificationData = (
  more: string,
): string => `json_build_object('id', told.id, 'name', told.name, 'url', told.url,
  'labels', told.labels,
  'state', told.state, 'since', ${isoInstant('told.since')}, 'trouble', told.trouble,
  'next_try', ${isoInstant('told.paused_until')}, ${more})`

/** Notifies of a site. @param more members of its data beside those of every site */
export const siteNotification = (relation: string, event: string, more: string): NotificationSource => ({
  relation,
  event,
  subject: 'told.id',
  site: 'told.id',
  data: notificationData(more),
})

/** Notifies of a check with worse results. @param relation {@link notifiedSiteColumns}, `level` and `worse`, the lines */
export const siteGotWorse = (relation: string): NotificationSource =>
  siteNotification(
    relation,
    `CASE WHEN jsonb_array_length(told.worse) > 0 THEN ${eventLiteral('site.regression')} END`,
    `'level', told.level, 'findings', told.worse, 'what_to_do', (
       SELECT string_agg(coalesce(line ->> 'todo', line ->> 'means'), ' ') FROM jsonb_array_elements(told.worse) AS line)`,
  )
