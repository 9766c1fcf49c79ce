/** What a statement tells of, in SQL: expressions over a row of `relation`, which is called `told` in them. */
export interface NotificationSource {
  /** A relation of the statement with `account_id`. */
  relation: string
  /** Which event a row is; null where nobody is told of it. */
  event: string
  /** The id of what it is about. */
  subject: string
  site: string
  /** JSON; `site` is the row of the site in it, as it was before the statement, if there is one. */
  data: string
}

/** An event, in SQL. */
export const eventLiteral = (event: NotificationEvent): string => `'${event}'`

/** A time, in SQL, as every answer writes it. */
export const isoInstant = (time: string): string =>
  `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** An id of version 7, in SQL: its first 48 bits are the time, so that lists page by it. */
export const UUID_V7_SQL = `encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING
  substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid`

/** Until when that which happens now is gathered for a mail, in SQL: what becomes of a site is told at once. */
export const digestDueAt = (event: string, minutes: string): string =>
  `now() + CASE WHEN ${event} LIKE 'site.%' THEN interval '0' ELSE make_interval(mins => coalesce(${minutes}, 0)) END`

/** What a mail says of it, and no more: a digest has many. */
const FOR_MAIL = `(data::jsonb - '{warnings,attempts,next_attempt_at,source,paused_until,labels}'::text[]) #- '{error,details}'`

/**
 * The part of a statement that tells the receivers of an account what became of its deliveries and sites, as CTEs without a
 * comma behind the last: it is stored with what it tells of, or neither is. Where an account has no receiver, all that
 * happens is that none is found. A webhook leaves at once; for mail, what becomes of deliveries is gathered for a while.
 *
 * @param name of its CTEs, where a statement has several such parts
 */
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
    ${digestDueAt('event', 'digest_minutes')}
  FROM ${name} WHERE kind = 'email'
)`

/** What a receiver can be told of. */
export const notificationEvents = [
  'delivery.delivered',
  'delivery.held',
  'delivery.failed',
  'site.outage',
  'site.recovered',
  'site.regression',
] as const

export type NotificationEvent = (typeof notificationEvents)[number]

/**
 * Part of a statement: puts what somebody is to be told into the outbox. With what it tells of, it is stored, or neither is,
 * and it leaves as soon as that is committed. Its id is the `webhook-id` of every attempt.
 *
 * @param rows a FROM item with the columns `id`, `account_id`, `event` (`document.completed` and so on), `subject_id` (of the
 *   job or the delivery that it is about), `url`, and `body` (JSON, sent as it stands in every attempt)
 */
export const insertIntoOutbox = (rows: string): string => `
  INSERT INTO notification (id, account_id, event, subject_id, url, body)
  SELECT id, account_id, event, subject_id, url, convert_to(body, 'UTF8') FROM ${rows}`
