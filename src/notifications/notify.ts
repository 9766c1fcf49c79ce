import { isoInstant } from '../database/statement.ts'
import { DELIVERY_EVENTS_SQL, type NotificationEvent } from './outcomes.ts'

/** SQL expressions over a row of `relation`, which they call `told`. */
export interface NotificationSource {
  relation: string
  /** The row's event; null where nobody is told. */
  event: string
  subject: string
  site: string
  /** JSON; `site` in it is the site's row before the statement, if any. */
  data: string
}

export const eventLiteral = (event: NotificationEvent): string => `'${event}'`

/** SQL of a version 7 id: its first 48 bits are the time, so lists page by it. */
export const UUID_V7_SQL = `encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING
  substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid`

/** The first three warnings of this kind. */
const losses = (kind: string): string => `jsonb_build_object('losses', jsonb_path_query_array(
    jsonb_path_query_array(data::jsonb, '$.warnings[*] ? (${kind}).message'), '$[0 to 2]'))`

/** Without what mails do not say: a digest has many items. */
const FOR_MAIL = `(data::jsonb - '{warnings,attempts,next_attempt_at,source,since,next_try,labels}'::text[]) #- '{error,details}'
  || CASE event WHEN 'delivery.incomplete' THEN ${losses('@.severity == "loss"')}
    WHEN 'post.schedule_missed' THEN ${losses('@.code == "schedule_missed"')} ELSE '{}' END`

/** CTEs, without a trailing comma, that notify an account's receivers. @param name prefix, where a statement has several such parts */
export const notifyReceivers = (
  { relation, event, subject, site, data }: NotificationSource,
  name = 'notifications',
): string => `
${name} AS (
  SELECT ${UUID_V7_SQL} AS id, r.id AS receiver_id, r.kind, r.url, coalesce(r.digest_minutes, 0) AS digest_minutes, told.account_id,
    ${event} AS event, ${subject} AS subject_id, ${site} AS site_id, ${data} AS data
  FROM ${relation} told
  JOIN receiver r ON r.account_id = told.account_id AND r.removed_at IS NULL AND r.disabled_at IS NULL
    AND ${event} = ANY (r.events)
  LEFT JOIN site ON site.account_id = told.account_id AND site.id = ${site}
  WHERE (r.site_ids = '{}' AND r.labels = '{}') OR ${site} = ANY (r.site_ids) OR site.labels && r.labels
), ${name}_told AS (
  INSERT INTO notification (id, account_id, receiver_id, site_id, event, subject_id, url, body)
  SELECT id, account_id, receiver_id, site_id, event, subject_id, url, convert_to(json_build_object(
    'event', event, 'id', id, 'created_at', ${isoInstant('now()')}, 'data', data)::text, 'UTF8')
  FROM ${name} WHERE kind = 'webhook'
), ${name}_gathered AS (
  INSERT INTO digest_item (receiver_id, event, subject_id, site_id, data, due_at)
  SELECT receiver_id, event, subject_id, site_id, ${FOR_MAIL},
    -- Events of sites and outages leave at once.
    now() + CASE WHEN event = ANY (${DELIVERY_EVENTS_SQL}) THEN make_interval(mins => digest_minutes) ELSE interval '0' END
  FROM ${name} WHERE kind = 'email'
)`

/** SQL that puts notifications into the outbox. @param rows has `id`, `account_id`, `event`, `subject_id`, `url`, `body` (JSON) */
export const insertIntoOutbox = (rows: string): string => `
  INSERT INTO notification (id, account_id, event, subject_id, url, body)
  SELECT id, account_id, event, subject_id, url, convert_to(body, 'UTF8') FROM ${rows}`
