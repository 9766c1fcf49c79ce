import { named, storableJson } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import type { GalleyError } from '../../errors.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import {
  eventLiteral,
  isoInstant,
  type NotificationSource,
  notifyReceivers,
} from '../../notifications/notify.ts'
import type { FailureCode } from '../../wordpress/failures/index.ts'
import type { ConnectedCredentials, SiteId } from '../connection.ts'

/** The `RETURNING` list of a site for notifications. @param site alias of `site` */
export const notifiedSiteColumns = (site: string): string =>
  ['id', 'account_id', 'name', 'url', 'labels', 'trouble', 'paused_until']
    .map((column) => `${site}.${column}`)
    .join(', ')

const notificationData = (
  more: string,
): string => `json_build_object('id', told.id, 'name', told.name, 'url', told.url,
  'labels', told.labels,
  'status', CASE WHEN told.paused_until IS NOT NULL THEN 'paused' WHEN told.trouble IS NOT NULL THEN 'needs_owner'
    ELSE 'connected' END,
  'trouble', told.trouble, 'paused_until', ${isoInstant('told.paused_until')}, ${more})`

const IS_PAUSED =
  'Nothing for now: Galley checks again by itself, and delivers what is waiting as soon as the site answers. If that takes long, check the site.'

const siteNotification = (relation: string, event: string, more: string): NotificationSource => ({
  relation,
  event,
  subject: 'told.id',
  site: 'told.id',
  data: notificationData(more),
})

/**
 * Notifies of an outage once for all that waits for the site. Notifies again when a paused site starts to wait for its
 * owner for another reason.
 * @param relation {@link notifiedSiteColumns} after the change, and `was` and `was_paused`, trouble and pause before it
 */
const outageBegan = (relation: string): NotificationSource =>
  siteNotification(
    relation,
    `CASE WHEN told.was IS NULL OR (told.was_paused IS NOT NULL AND told.paused_until IS NULL
       AND told.was ->> 'code' IS DISTINCT FROM told.trouble ->> 'code') THEN ${eventLiteral('site.outage')} END`,
    `'what_to_do', CASE WHEN told.paused_until IS NULL THEN told.trouble ->> 'message' ELSE '${IS_PAUSED}' END`,
  )

/**
 * Notifies of a recovery. @param relation {@link notifiedSiteColumns} after the change, and `was`, the trouble before it
 */
export const outageEnded = (relation: string): NotificationSource =>
  siteNotification(
    relation,
    `CASE WHEN told.was IS NOT NULL THEN ${eventLiteral('site.recovered')} END`,
    `'was', told.was, 'what_to_do', NULL`,
  )

/**
 * Notifies of a check with worse results than the previous one.
 * @param relation {@link notifiedSiteColumns}, and `level` and `worse`: the report's, and its lines that got worse
 */
export const siteGotWorse = (relation: string): NotificationSource =>
  siteNotification(
    relation,
    `CASE WHEN jsonb_array_length(told.worse) > 0 THEN ${eventLiteral('site.regression')} END`,
    `'level', told.level, 'findings', told.worse, 'what_to_do', (
       SELECT string_agg(coalesce(line ->> 'todo', line ->> 'means'), ' ') FROM jsonb_array_elements(told.worse) AS line)`,
  )

/**
 * Locks a site until the transaction ends: nobody else decides about it or what waits for it.
 * Lock order, to avoid deadlocks: the site; its deliveries by account, site and document; the queue's jobs. Reading a
 * site's trouble takes no lock.
 */
export async function lockSite(database: Queryable, { accountId, id }: SiteId): Promise<void> {
  await database.query(
    named('SELECT FROM site WHERE id = :id AND account_id = :accountId FOR UPDATE', { id, accountId }),
  )
}

/** The failure of a site without such an author or language; valid only while its settings name them. */
const SETTING_REFUSED = 'setting_refused' satisfies FailureCode

const NOTIFICATIONS = notifyReceivers(outageBegan('changed'))

/** Columns of an outage notification: the site after the change, and its trouble before. */
const NOTIFIED_COLUMNS = `${notifiedSiteColumns('site')}, before.trouble AS was, before.paused_until AS was_paused`

/** Pauses a site that failed. Failures during a pause count as one: a paused site is left as it is. */
export async function pauseSite(
  { database, timing }: { database: Queryable; timing: Pick<Timing, 'firstPauseMs'> },
  { accountId, id }: SiteId,
  failure: GalleyError,
): Promise<void> {
  const { rows } = await database.query<{ trouble_count: number }>(
    named('SELECT trouble_count FROM site WHERE id = :id AND account_id = :accountId', { id, accountId }),
  )
  const failures = (rows[0]?.trouble_count ?? 0) + 1
  const pause = sitePauseMs(failures, {
    firstMs: timing.firstPauseMs,
    retryAfterMs: failure.retryAfterMs,
    random: Math.random(),
  })
  await database.query(
    named(
      `WITH before AS (
         SELECT id, account_id, trouble, paused_until FROM site WHERE id = :id AND account_id = :accountId FOR UPDATE
       ), changed AS (
         UPDATE site SET paused_until = now() + :pause::float8 * interval '1 millisecond', trouble_count = :failures,
           trouble = :trouble
         FROM before
         WHERE site.id = before.id AND site.account_id = before.account_id
           AND (before.paused_until <= now() OR (before.paused_until IS NULL AND before.trouble IS NULL))
         RETURNING ${NOTIFIED_COLUMNS}
       ), ${NOTIFICATIONS}
       SELECT FROM changed`,
      { id, accountId, pause, failures, trouble: storedTrouble(failure) },
    ),
  )
}

/**
 * Stops a site until its owner acts. The third argument is the connection that failed.
 * @returns false where the site has been connected anew or the refused setting has changed: the failure is then outdated
 */
export async function stopSiteForOwner(
  database: Queryable,
  { accountId, id }: SiteId,
  { username, sealedPassword, authorId, language }: ConnectedCredentials,
  failure: Pick<GalleyError, 'code' | 'message'>,
): Promise<boolean> {
  const { rowCount } = await database.query(
    named(
      `WITH before AS (
         SELECT id, account_id, trouble, paused_until FROM site
         WHERE id = :id AND account_id = :accountId AND username = :username AND application_password = :sealedPassword
           AND (NOT :ofSetting::bool
             OR (author_id IS NOT DISTINCT FROM :authorId::int AND settings ->> 'language' IS NOT DISTINCT FROM :language::text))
         FOR UPDATE
       ), changed AS (
         UPDATE site SET paused_until = NULL, trouble = :trouble, trouble_count = site.trouble_count + 1
         FROM before WHERE site.id = before.id AND site.account_id = before.account_id
         RETURNING ${NOTIFIED_COLUMNS}
       ), ${NOTIFICATIONS}
       SELECT FROM changed`,
      {
        ...{ id, accountId, username, sealedPassword, authorId, language, trouble: storedTrouble(failure) },
        ofSetting: failure.code === SETTING_REFUSED,
      },
    ),
  )
  return rowCount !== 0
}

/** Records a delivery that succeeded `agoMs` ago: an earlier failure may then be the document's own. */
export async function recordSiteServed(
  database: Queryable,
  { accountId, id }: SiteId,
  agoMs: number,
): Promise<void> {
  await database.query(
    named(
      `UPDATE site SET last_success_at = greatest(last_success_at, now() - :agoMs::float8 * interval '1 millisecond')
       WHERE id = :id AND account_id = :accountId`,
      { id, accountId, agoMs },
    ),
  )
}

export async function wasServedSince(
  database: Queryable,
  { accountId, id }: SiteId,
  moment: Date | null,
): Promise<boolean> {
  if (moment === null) return false
  const { rows } = await database.query(
    named('SELECT 1 FROM site WHERE id = :id AND account_id = :accountId AND last_success_at > :moment', {
      id,
      accountId,
      moment,
    }),
  )
  return rows.length > 0
}

const storedTrouble = ({ code, message }: Pick<GalleyError, 'code' | 'message'>): string =>
  storableJson({ code, message })

/** Longest pause in milliseconds, unless the site asks for another. */
export const MAX_PAUSE_MS = 15 * 60_000

/**
 * Pause in milliseconds after the `failures`th failure in a row. With the standard first pause of 5 s: 5 s, 10 s, 20 s …
 * up to 15 minutes, each up to a tenth longer so that sites do not return together. The site's own `Retry-After` takes
 * precedence; its reader bounds it to between a second and an hour (errors.ts).
 */
export function sitePauseMs(
  failures: number,
  { firstMs, retryAfterMs, random }: { firstMs: number; retryAfterMs: number | undefined; random: number },
): number {
  if (retryAfterMs !== undefined) return retryAfterMs
  const pause = Math.min(firstMs * 2 ** (failures - 1), MAX_PAUSE_MS)
  return Math.round(pause * (1 + random / 10))
}
