import { named } from '../../database/named.ts'
import { storableJson } from '../../database/storable.ts'
import type { Queryable } from '../../database/transaction.ts'
import type { GalleyError } from '../../errors.ts'
import type { Timing } from '../../jobs/timing.ts'
import { notifyReceivers } from '../../notifications/notify.ts'
import type { FailureCode } from '../../wordpress/failures/index.ts'
import type { ConnectedAs } from '../connected-site.ts'
import type { SiteId } from '../site-id.ts'
import { notifiedColumns, outageBegan } from './notifications.ts'
import { sitePause } from './pause.ts'

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
const NOTIFIED = `${notifiedColumns('site')}, before.trouble AS was, before.paused_until AS was_paused`

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
  const pause = sitePause(failures, {
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
         RETURNING ${NOTIFIED}
       ), ${NOTIFICATIONS}
       SELECT FROM changed`,
      { id, accountId, pause, failures, trouble: told(failure) },
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
export async function stopSite(
  database: Queryable,
  { accountId, id }: SiteId,
  { username, sealedPassword, authorId, language }: ConnectedAs,
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
         RETURNING ${NOTIFIED}
       ), ${NOTIFICATIONS}
       SELECT FROM changed`,
      {
        ...{ id, accountId, username, sealedPassword, authorId, language, trouble: told(failure) },
        ofSetting: failure.code === SETTING_REFUSED,
      },
    ),
  )
  return rowCount !== 0
}

/** A delivery went through so many milliseconds ago: a document that failed before may itself be to blame. */
export async function siteServed(
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
export async function servedSince(
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
const told = ({ code, message }: Pick<GalleyError, 'code' | 'message'>): string =>
  storableJson({ code, message })
