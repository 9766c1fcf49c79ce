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

/** What is returned of a site by whoever tells of it: a `RETURNING` list. @param site of `site` */
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
 * That a site is in trouble, once for all that waits for it; and once more where it was left alone until now, and from now
 * on waits for its owner, who has not heard of the reason.
 *
 * @param relation with {@link notifiedSiteColumns}, as they are now, and `was` and `was_paused`, trouble and pause until now
 */
const outageBegan = (relation: string): NotificationSource =>
  siteNotification(
    relation,
    `CASE WHEN told.was IS NULL OR (told.was_paused IS NOT NULL AND told.paused_until IS NULL
       AND told.was ->> 'code' IS DISTINCT FROM told.trouble ->> 'code') THEN ${eventLiteral('site.outage')} END`,
    `'what_to_do', CASE WHEN told.paused_until IS NULL THEN told.trouble ->> 'message' ELSE '${IS_PAUSED}' END`,
  )

/** That a site works again. @param relation with {@link notifiedSiteColumns}, as they are now, and `was`, its trouble until now */
export const outageEnded = (relation: string): NotificationSource =>
  siteNotification(
    relation,
    `CASE WHEN told.was IS NOT NULL THEN ${eventLiteral('site.recovered')} END`,
    `'was', told.was, 'what_to_do', NULL`,
  )

/**
 * That the doctor found something worse than the last time.
 *
 * @param relation with {@link notifiedSiteColumns}, and `level` and `worse`: the report's, and its lines that got worse
 */
export const siteGotWorse = (relation: string): NotificationSource =>
  siteNotification(
    relation,
    `CASE WHEN jsonb_array_length(told.worse) > 0 THEN ${eventLiteral('site.regression')} END`,
    `'level', told.level, 'findings', told.worse, 'what_to_do', (
       SELECT string_agg(coalesce(line ->> 'todo', line ->> 'means'), ' ') FROM jsonb_array_elements(told.worse) AS line)`,
  )

/**
 * Lets no other transaction decide about this site and what waits for it until this one ends.
 *
 * Rows are locked in one order everywhere, or two transactions would wait for each other: the site; then its deliveries,
 * several by account, site and document; then the queue's jobs. Who only reads a site's trouble locks nothing of it.
 */
export async function lockSite(database: Queryable, { accountId, id }: SiteId): Promise<void> {
  await database.query(
    named('SELECT FROM site WHERE id = :id AND account_id = :accountId FOR UPDATE', { id, accountId }),
  )
}

/** The failure of a site that has no such author or language any more: only of as long as its settings name them. */
const SETTING_REFUSED = 'setting_refused' satisfies FailureCode

const NOTIFICATIONS = notifyReceivers(outageBegan('changed'))

/** What an outage is told by: the site as it is now, and its trouble until now. */
const NOTIFIED_COLUMNS = `${notifiedSiteColumns('site')}, before.trouble AS was, before.paused_until AS was_paused`

/**
 * Pauses a site that failed. Several deliveries that fail together count as one failure: whoever comes while
 * the site is paused adds nothing.
 */
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
 * Stops a site until its owner acts.
 *
 * The third argument is what the site was spoken to with when it failed.
 *
 * @returns false where it has been connected anew since, or where another setting has taken the place of what it refused: then
 *   the failure says nothing about it
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

/** A delivery went through so many milliseconds ago: a document that failed before may itself be to blame. */
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

/** Whether the site has served a delivery since `moment`. */
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

/** What an owner is told of a failure, as it is stored. */
const storedTrouble = ({ code, message }: Pick<GalleyError, 'code' | 'message'>): string =>
  storableJson({ code, message })

/** Milliseconds for which a site is left alone at most, unless it says so itself. */
export const MAX_PAUSE_MS = 15 * 60_000

/**
 * Milliseconds for which a site in trouble is left alone after its `failures`th failure in a row; with the standard
 * first pause of 5 s: 5 s, 10 s, 20 s … up to 15 minutes, each up to a tenth longer so that sites do not return
 * together. A `Retry-After` of the site's own is honoured instead, which its reading has kept between a second and an hour
 * (errors.ts).
 */
export function sitePauseMs(
  failures: number,
  { firstMs, retryAfterMs, random }: { firstMs: number; retryAfterMs: number | undefined; random: number },
): number {
  if (retryAfterMs !== undefined) return retryAfterMs
  const pause = Math.min(firstMs * 2 ** (failures - 1), MAX_PAUSE_MS)
  return Math.round(pause * (1 + random / 10))
}
