import type { Pool } from 'pg'
import { longestPauseMs, pauseEnd } from '../../database/pause.ts'
import { execute, MANY_ROWS, queryRows, storableJson } from '../../database/statement.ts'
import { inTransaction, type Queryable, type RowSource } from '../../database/transaction.ts'
import type { GalleyError } from '../../errors.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { addJob, enqueue } from '../../jobs/job.ts'
import { eventLiteral, type NotificationSource, notifyReceivers } from '../../notifications/notify.ts'
import type { ConnectedCredentials, DeliverySite, SiteId } from '../../sites/connection.ts'
import { checkSiteJob } from '../../sites/health/check-site.ts'
import { reportsProblem } from '../../sites/health/report.ts'
import {
  attentionAfterMs,
  notifiedSiteColumns,
  SETTING_REFUSED,
  siteNotification,
  waitsForOwner,
} from '../../sites/health/state.ts'
import { siteUnknown } from '../../sites/registry.ts'
import type { Judgement } from '../../wordpress/failures/judge.ts'
import { addSiteWorker } from '../jobs.ts'
import { siteHoldCodes } from './failure.ts'
import type { HeldLogEntry } from './notifications.ts'
import { resumeWaiting } from './resume.ts'
import { transition, transitionAllowed } from './state.ts'

/** The outage of a site. One in trouble has `trouble`; it is tried again at `paused_until`, and without that waits for its owner. */

/**
 * Locks a site until the transaction ends: nobody else decides about it or what waits for it. Lock order, against deadlocks: the site;
 * its deliveries by account, site and document; the queue’s jobs. @returns when it last served a delivery, as far as recorded
 */
export async function lockSite(database: RowSource, { accountId, id }: SiteId): Promise<Date | null> {
  const rows = await queryRows<{ servedAt: Date | null }>(
    database,
    'SELECT last_success_at AS "servedAt" FROM site WHERE id = :id AND account_id = :accountId FOR UPDATE',
    { id, accountId },
  )
  return rows[0]?.servedAt ?? null
}

const IS_PAUSED =
  'Nothing for now: Galley checks again by itself, and delivers what is waiting as soon as the site answers. If that takes long, check the site.'

/**
 * Notifies of an outage once, and again when a paused site starts to wait for its owner for another reason.
 * @param relation {@link notifiedSiteColumns} after the change, and `was` and `was_paused`, trouble and pause before it
 */
const outageBegan = (relation: string): NotificationSource =>
  outageNotification(
    relation,
    `told.was IS NULL OR (told.was_paused IS NOT NULL AND told.paused_until IS NULL
       AND told.was ->> 'code' IS DISTINCT FROM told.trouble ->> 'code')`,
  )

/** Notifies of a site in trouble. @param which a condition: who is told of which */
export const outageNotification = (relation: string, which: string): NotificationSource =>
  siteNotification(
    relation,
    `CASE WHEN ${which} THEN ${eventLiteral('site.outage')} END`,
    `'what_to_do', CASE WHEN told.state = 'down' THEN '${IS_PAUSED}' ELSE told.trouble ->> 'message' END`,
  )

/** Notifies of a recovery. @param relation {@link notifiedSiteColumns} after the change, and `was`, the trouble before it */
const outageEnded = (relation: string): NotificationSource =>
  siteNotification(
    relation,
    `CASE WHEN told.was IS NOT NULL THEN ${eventLiteral('site.recovered')} END`,
    `'was', told.was, 'what_to_do', NULL`,
  )

interface OutageContext {
  database: Queryable & RowSource
  timing: Pick<Timing, 'firstPauseMs' | 'checkAgainAfterMs'>
}

/**
 * Records that a site failed, in a transaction that has locked it: it pauses, or stops until its owner acts; a check is queued.
 * @returns what waited for the site and is held now
 */
export async function recordOutage(
  context: OutageContext,
  site: SiteId & Pick<DeliverySite, 'connectedAs'>,
  failure: GalleyError,
  { site: says, ofCredentials }: Judgement,
): Promise<HeldLogEntry[]> {
  // It could not get in either, and plugins count every try.
  if (!ofCredentials) await queueCheck(context, site, failure)
  if (says === 'fails') {
    await pauseSite(context, site, failure)
    return []
  }
  const held = await stopForOwner(context.database, site, site.connectedAs, failure)
  if (held === null) await resumeLockedSite(context.database, site)
  return held ?? []
}

/** Queues a check of a site whose trouble begins or changes, unless a report is recent; `Retry-After` delays it. */
export async function queueCheck(
  { database, timing }: Pick<OutageContext, 'database'> & { timing: Pick<Timing, 'checkAgainAfterMs'> },
  { accountId, id }: SiteId,
  { code, retryAfterMs = 0 }: GalleyError,
): Promise<void> {
  if (!Number.isFinite(timing.checkAgainAfterMs)) return
  await execute(
    database,
    `SELECT ${addJob(checkSiteJob, { accountId: 'account_id', siteId: 'id' }, ':rest')}
     FROM site
     WHERE id = :id AND account_id = :accountId AND trouble ->> 'code' IS DISTINCT FROM :code
       AND (report_at IS NULL OR report_at < now() - :gapMs::float8 * interval '1 millisecond')`,
    { id, accountId, code, gapMs: timing.checkAgainAfterMs, rest: retryAfterMs },
  )
}

const TROUBLE_SINCE = 'coalesce(site.trouble_since, now())'

/** Stores `:trouble` of a site, and tells of the outage that this begins. @param which a condition @param sets assignments */
const setTrouble = (which: string, sets: string): string => `
  WITH before AS (
    SELECT id, account_id, trouble, paused_until FROM site WHERE id = :id AND account_id = :accountId AND ${which} FOR UPDATE
  ), changed AS (
    UPDATE site SET trouble = :trouble, trouble_count = site.trouble_count + 1, trouble_since = ${TROUBLE_SINCE}, ${sets}
    FROM before WHERE site.id = before.id AND site.account_id = before.account_id
    RETURNING ${notifiedSiteColumns('site')}, before.trouble AS was, before.paused_until AS was_paused
  ), ${notifyReceivers(outageBegan('changed'))}
  SELECT FROM changed`

const PAUSE = setTrouble(
  '(paused_until <= now() OR (paused_until IS NULL AND trouble IS NULL))',
  `paused_until = ${pauseEnd('site.trouble_count', longestPauseMs(TROUBLE_SINCE))},
    attention_at = ${TROUBLE_SINCE} + interval '1 millisecond' * :attentionAfterMs::float8`,
)

/** Pauses a site that failed. Failures during a pause count as one: a paused site is left as it is. */
export async function pauseSite(
  { database, timing }: { database: Queryable; timing: Pick<Timing, 'firstPauseMs'> },
  { accountId, id }: SiteId,
  failure: GalleyError,
): Promise<void> {
  await execute(database, PAUSE, {
    ...{ id, accountId, trouble: storedTrouble(failure) },
    ...{ firstMs: timing.firstPauseMs, requestedMs: failure.retryAfterMs ?? null },
    attentionAfterMs: attentionAfterMs(failure.code),
  })
}

const STOP = setTrouble(
  `username = :username AND application_password = :sealedPassword AND (NOT :ofSetting::bool
    OR (author_id IS NOT DISTINCT FROM :authorId::int AND settings ->> 'language' IS NOT DISTINCT FROM :language::text))`,
  'paused_until = NULL, attention_at = now(), attention_told = true',
)

/**
 * Stops a site until its owner acts, and holds what waits for it with the same words; of very much, its site worker holds the rest.
 * @returns what was held; null where it has been connected anew since, so that the failure says nothing about it
 */
export async function stopForOwner(
  database: Queryable,
  site: SiteId,
  { username, sealedPassword, authorId, language }: ConnectedCredentials,
  failure: Pick<GalleyError, 'code' | 'message'>,
): Promise<HeldLogEntry[] | null> {
  const rowCount = await execute(database, STOP, {
    ...{ id: site.id, accountId: site.accountId, trouble: storedTrouble(failure) },
    ...{ username, sealedPassword, authorId, language, ofSetting: failure.code === SETTING_REFUSED },
  })
  return rowCount === 0 ? null : holdForOwner(database, site)
}

/** Holds what waits for a site that waits for its owner, {@link MANY_ROWS} at most, also what came in the moment it was stopped. */
export async function holdForOwner(database: Queryable, { accountId, id }: SiteId): Promise<HeldLogEntry[]> {
  return queryRows<HeldLogEntry>(
    database,
    `WITH stopped AS (
       SELECT id, account_id, trouble FROM site
       WHERE id = :id AND account_id = :accountId AND ${waitsForOwner('site')} FOR UPDATE
     ), waiting AS (
       SELECT d.id, stopped.trouble FROM stopped
       JOIN delivery d ON d.site_id = stopped.id AND d.account_id = stopped.account_id AND ${transitionAllowed('stop', 'd')}
       ORDER BY d.document_id LIMIT ${MANY_ROWS} FOR UPDATE OF d
     ), held AS (
       UPDATE delivery d SET ${transition('stop', { to: 'held' })}, error = waiting.trouble || '{"step": "plan"}'
       FROM waiting WHERE d.id = waiting.id
       RETURNING d.id, d.document_id, waiting.trouble
     ), recorded AS (
       INSERT INTO delivery_step (delivery_id, step, outcome, detail)
       SELECT id, 'plan', 'held', (trouble ->> 'code') || ': ' || (trouble ->> 'message') FROM held
     )
     SELECT id AS delivery, document_id AS document, :id::uuid AS site, trouble ->> 'code' AS code FROM held`,
    { id, accountId },
  )
}

/**
 * Forgets a site's trouble and queues what was held because of it; what a person's change holds stays held. A report that an outage
 * spoiled is made again. Of very many, the sweep queues the rest (maintenance/unknown-site.ts). @returns how many go on at once
 */
export const resumeSite = (pool: Pool, site: SiteId): Promise<number> =>
  inTransaction(pool, async (database) => {
    // By a statement of its own: the next one then sees what others have held or queued until now.
    await lockSite(database, site)
    return resumeLockedSite(database, site)
  })

/** Ends the trouble of a site that has answered, where nothing is due that could show whether it works. @returns whether it has */
export const resumeIdleSite = (pool: Pool, { accountId, id }: SiteId): Promise<boolean> =>
  inTransaction(pool, async (database) => {
    const site = { accountId, id }
    await lockSite(database, site)
    const rows = await queryRows<{ busy: boolean }>(
      database,
      `SELECT EXISTS (SELECT FROM delivery WHERE account_id = :accountId AND site_id = :id
         AND (status = 'delivering' OR due_at <= now())) AS busy`,
      site,
    )
    if (rows[0]?.busy) return false
    await resumeLockedSite(database, site)
    await enqueue(database, checkSiteJob, { accountId, siteId: id })
    return true
  })

/** Deliveries that go on at once: some five seconds, far within what a statement may take. */
const MAX_RESUMED = 100_000

const RESUMED = resumeWaiting('the site is connected and answers', ', (SELECT count(*) FROM checked)')

/** {@link resumeSite} in a transaction that has locked the site. */
export async function resumeLockedSite(database: RowSource, { accountId, id }: SiteId): Promise<number> {
  const rows = await queryRows<{ resumed: number }>(
    database,
    `WITH before AS (
       SELECT id, account_id, trouble, trouble_since FROM site WHERE id = :id AND account_id = :accountId
     ), cleared AS (
       UPDATE site SET trouble = NULL, trouble_count = 0, trouble_since = NULL, attention_at = NULL, attention_told = false,
         paused_until = NULL
       FROM before WHERE site.id = before.id AND site.account_id = before.account_id
       RETURNING ${notifiedSiteColumns('site')}, before.trouble AS was, (site.report_at IS NULL
         OR site.report ->> 'level' = 'problem' OR site.report_at > before.trouble_since) AS report_outdated
     ), ${notifyReceivers(outageEnded('cleared'))}, checked AS (
       SELECT ${addJob(checkSiteJob, { accountId: 'account_id', siteId: 'id' })}
       FROM cleared WHERE was IS NOT NULL AND report_outdated
     ), waiting AS (
       SELECT d.id FROM cleared
       JOIN delivery d ON d.site_id = cleared.id AND d.account_id = cleared.account_id AND ${transitionAllowed('resume', 'd')}
         AND d.error ->> 'code' = ANY (:waitsForSite) AND (d.error ->> 'step' IS DISTINCT FROM 'plan' OR d.id IN (
           SELECT p.id FROM delivery p WHERE p.site_id = :id AND p.account_id = :accountId AND ${transitionAllowed('resume', 'p')}
             AND p.error ->> 'code' = ANY (:waitsForSite) AND p.error ->> 'step' = 'plan' LIMIT ${MAX_RESUMED}))
       ORDER BY d.document_id FOR UPDATE OF d
     ), ${RESUMED}`,
    { id, accountId, waitsForSite: siteHoldCodes },
  )
  return rows[0]?.resumed ?? 0
}

/** Records a success `agoMs` ago; the first after a report which says that none gets through has the site checked again. */
export async function recordSiteServed(database: Queryable, { accountId, id }: SiteId, agoMs: number) {
  await execute(
    database,
    `WITH before AS (
       SELECT id, account_id, ${reportsProblem('site')} AND report_at < now() - interval '1 minute' AS disproved
       FROM site WHERE id = :id AND account_id = :accountId FOR UPDATE
     ), served AS (
       UPDATE site SET last_success_at = greatest(last_success_at, now() - :agoMs::float8 * interval '1 millisecond')
       FROM before WHERE site.id = before.id AND site.account_id = before.account_id
       RETURNING site.id, site.account_id, before.disproved
     )
     SELECT ${addJob(checkSiteJob, { accountId: 'account_id', siteId: 'id' })} FROM served WHERE disproved`,
    { id, accountId, agoMs },
  )
}

/** Where so many documents wait for a site, there may be more: no more of the queued, nor of the held, are counted. */
export const MOST_COUNTED = 1_000

/** SQL: documents that wait for a site. @param s alias of `site` */
export const waitingForSite = (s: string): string => {
  const count = (condition: string) => `(SELECT count(*) FROM (SELECT FROM delivery d
    WHERE d.account_id = ${s}.account_id AND d.site_id = ${s}.id AND ${condition} LIMIT ${MOST_COUNTED}) AS counted)`
  const codes = siteHoldCodes.map((code) => `'${code}'`).join(', ')
  return `${count('d.due_at IS NOT NULL')} + ${count(`d.status = 'held' AND d.error ->> 'code' IN (${codes})`)}`
}

/** Pauses a site by hand: no delivery of it is claimed from now on (claim.ts). One that is paused already keeps its time. @throws 404 */
export async function pauseSiteManually(
  database: Queryable,
  { accountId, id }: SiteId,
  reason: string | null,
): Promise<void> {
  const rowCount = await execute(
    database,
    `UPDATE site SET stopped_at = coalesce(stopped_at, now()), stop_reason = :reason, updated_at = now()
     WHERE account_id = :accountId AND id = :id`,
    { accountId, id, reason },
  )
  if (rowCount === 0) throw siteUnknown({ accountId, id })
}

/** Ends the pause of {@link pauseSiteManually}; other trouble of the site stays. @throws GalleyError 404 */
export async function resumeSiteManually(database: Queryable, { accountId, id }: SiteId): Promise<void> {
  const rowCount = await execute(
    database,
    `WITH resumed AS (
       UPDATE site SET stopped_at = NULL, stop_reason = NULL, updated_at = now()
       WHERE account_id = :accountId AND id = :id RETURNING account_id, id
     )
     SELECT ${addSiteWorker('account_id', 'id')} FROM resumed`,
    { accountId, id },
  )
  if (rowCount === 0) throw siteUnknown({ accountId, id })
}

const storedTrouble = ({ code, message }: Pick<GalleyError, 'code' | 'message'>): string =>
  storableJson({ code, message })
