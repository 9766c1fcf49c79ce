import type { Pool } from 'pg'
import { named } from '../database/statement.ts'
import { GalleyError } from '../errors.ts'
import { claimedBy, type LeasedTable } from '../jobs/leased-work.ts'
import type { LanguageCode } from '../lib/sentences.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { ReceiverFormat } from './chat.ts'
import { MAILTO } from './mail/settings.ts'

/** Minutes from a failed attempt to the next; four attempts in all, the first at once. */
const RETRY_AFTER_MINUTES = [5, 15, 30] as const

const RESPONSE_TIMEOUT_MS = 5_000

/** Seconds that an attempt belongs to its process: the time-out, and some to store the result. */
export const LEASE_S = 10

export const MAIL_LEASE_S = 30

/** Milliseconds between polls: the most by which an attempt is late. */
export const POLL_MS = 250

/** Attempts in a row that ended with their process, after which none starts: it may be to blame. */
export const MAX_INTERRUPTED = 10

export const NOT_BEGUN_CODE = 'not_begun'

/** Receivers that hang must not delay others: a limit for each origin, account, process, and for mail. */
export const CONCURRENCY_LIMITS = { ofOrigin: 25, ofMail: 5, ofAccount: 200, ofProcess: 800 } as const

/** Bytes of bodies that one process holds, beside the first. */
export const MAX_BYTES_IN_FLIGHT = 32 * 1024 * 1024

export interface AttemptResult {
  /** Null where there was no answer. */
  httpStatus: number | null
  /** Why it was not acknowledged; null where it was. */
  error: { code: string; message: string } | null
}

/** Follows no redirect; a missing answer is a result too. @throws Error where Galley itself is at fault */
export async function postNotification(
  outbound: Outbound,
  { url, headers, body }: { url: string; headers: () => Record<string, string>; body: Buffer },
): Promise<AttemptResult> {
  try {
    const { status } = await outbound.request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers() },
      body,
      timeoutMs: RESPONSE_TIMEOUT_MS,
      headOnly: true,
    })
    return { httpStatus: status, error: rejectionOf(status) }
  } catch (error) {
    if (error instanceof GalleyError)
      return { httpStatus: null, error: { code: error.code, message: error.message } }
    throw error
  }
}

function rejectionOf(status: number): AttemptResult['error'] {
  if (status >= 200 && status <= 299) return null
  const redirects = status >= 300 && status <= 399
  return {
    code: 'not_acknowledged',
    message: redirects
      ? `The receiver answered HTTP ${status}: it sends notifications elsewhere, and Galley does not follow. Give the address where they are taken.`
      : `The receiver answered HTTP ${status}; a notification is acknowledged with 2xx. Check what the receiver has logged about it.`,
  }
}

/** One attempt of a notification, which this process is to make now. */
export interface ClaimedAttempt {
  id: string
  account_id: string
  event: string
  subject_id: string
  url: string
  body: Buffer
  fence: number
  attempt: string
  /** Somebody asked for it: what comes of it changes nothing in the timetable unless it is acknowledged. */
  by_hand: boolean
  /** Attempts right before it that ended with their process, and of which nobody knows whether they were heard; of one that was asked for, those that were, too. */
  interrupted: number
  /** Null for the webhook_url of a job. */
  receiver_id: string | null
  /** How the receiver is told. */
  format: ReceiverFormat
  /** Of its mail. */
  language: LanguageCode
  /** Nothing is sent to it any more. */
  receiver_removed: boolean
  /** Those that are valid, encrypted: the receiver's, or without one the account's. */
  secrets: string[]
  /** The database's clock, in milliseconds. */
  at_ms: number
}

/** Claims what is due for the process `me`, as far as there is room. All times are the database's. */
export async function claimDueAttempts(
  pool: Pool,
  me: number,
  { places, bytes }: { places: number; bytes: number },
): Promise<ClaimedAttempt[]> {
  const { ofProcess: _, ...limits } = CONCURRENCY_LIMITS
  const { rows } = await pool.query<ClaimedAttempt>({
    name: 'claim-notifications',
    ...named(CLAIM, { worker: me, places, bytes, ...limits, leaseS: LEASE_S, mailLeaseS: MAIL_LEASE_S }),
  })
  return rows
}

/** Notifications under way. A lease outlasts an attempt, so an expired one's process died: kept as interrupted, made again. */
export const notificationLeases: LeasedTable = {
  table: 'notification',
  isHeld: 'w.leased_by IS NOT NULL',
  lockOrder: 'w.id',
  expires: 'leased_until',
  isAlive: 'true',
  free: 'leased_until = NULL',
  takeOver: {
    sets: 'leased_until = NULL, fence = w.fence + 1',
    more: `
      UPDATE notification_attempt t SET error = json_build_object('code', 'interrupted', 'message',
        'Galley was stopped during this attempt. The receiver may have had it; it was made again.')
      FROM taken WHERE t.notification_id = taken.id AND t.took_ms IS NULL AND t.error IS NULL`,
  },
}

// All mail goes to one server. Cut, since an index takes no value of any length; both as in the index `notification_waits`.
const ORIGIN = `left(coalesce(substring(url FROM '^[^/]*//[^/?#]*'), '${MAILTO}'), 255) COLLATE "C"`
const AT = 'least(due_at, repeat_at)'
const WAITS = `leased_by IS NULL AND body IS NOT NULL AND ${AT} IS NOT NULL`

// The last attempt that came to its end. That none was begun ends nothing, unless somebody asks for one nevertheless.
const SETTLED = `(
  SELECT max(s.id) FROM notification_attempt s
  WHERE s.notification_id = c.id AND s.took_ms IS NOT NULL
    AND (t.by_hand OR s.error IS NULL OR s.error ->> 'code' <> '${NOT_BEGUN_CODE}'))`

// Each origin is looked up by the one before it, and only so many of it are read as have places: of one that is dead, half a
// million may wait. Ranked among those of the same origin first, so that it takes no place of its account's others.
const CLAIM = `
  WITH RECURSIVE under_way AS (
    SELECT account_id, ${ORIGIN} AS origin, count(*) AS n FROM notification WHERE leased_by IS NOT NULL GROUP BY 1, 2
  ), busy AS (
    SELECT account_id, sum(n) AS n FROM under_way GROUP BY 1
  ), origins AS (
    (SELECT account_id, ${ORIGIN} AS origin FROM notification
     WHERE ${WAITS} AND least((SELECT min(due_at) FROM notification), (SELECT min(repeat_at) FROM notification)) <= now()
     ORDER BY account_id, ${ORIGIN} LIMIT 1)
    UNION ALL
    SELECT next.* FROM origins o CROSS JOIN LATERAL (
      SELECT account_id, ${ORIGIN} AS origin FROM notification
      WHERE ${WAITS} AND (account_id, ${ORIGIN}) > (o.account_id, o.origin)
      ORDER BY account_id, ${ORIGIN} LIMIT 1
    ) AS next
  ), by_origin AS (
    SELECT first.id, o.account_id, first.at, first.bytes, coalesce(u.n, 0) + first.nth AS nth
    FROM origins o LEFT JOIN under_way u ON u.account_id = o.account_id AND u.origin = o.origin CROSS JOIN LATERAL (
      SELECT id, ${AT} AS at, octet_length(body) AS bytes, row_number() OVER (ORDER BY ${AT}, id) AS nth
      FROM notification
      WHERE ${WAITS} AND account_id = o.account_id AND ${ORIGIN} = o.origin AND ${AT} <= now()
      ORDER BY ${AT}, id
      LIMIT greatest(0, CASE WHEN o.origin = '${MAILTO}' THEN :ofMail::int ELSE :ofOrigin::int END - coalesce(u.n, 0))
    ) AS first
  ), by_account AS (
    SELECT o.*, coalesce(b.n, 0) + row_number() OVER (PARTITION BY o.account_id ORDER BY o.nth, at, id) AS nth_of_account
    FROM by_origin o LEFT JOIN busy b ON b.account_id = o.account_id
  ), in_order AS (
    SELECT id, row_number() OVER turn AS turn, sum(bytes) OVER turn - bytes AS before
    FROM by_account WHERE nth_of_account <= :ofAccount
    WINDOW turn AS (ORDER BY nth_of_account, at, id)
  ), held AS (
    SELECT n.id FROM notification n
    WHERE n.id IN (SELECT id FROM in_order WHERE turn <= :places AND before < :bytes)
      AND (n.due_at <= now() OR n.repeat_at <= now()) AND n.leased_by IS NULL
    FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE notification n
    SET ${claimedBy('n')},
      leased_until = now() + make_interval(secs => CASE WHEN starts_with(n.url, '${MAILTO}') THEN :mailLeaseS::int ELSE :leaseS::int END)
    FROM held WHERE n.id = held.id
    RETURNING n.id, n.account_id, n.event, n.subject_id, n.receiver_id, n.url, n.body, n.fence, coalesce(n.due_at <= now(), false) AS by_timetable
  ), tried AS (
    INSERT INTO notification_attempt (notification_id, at, by_hand)
    SELECT id, now(), NOT by_timetable FROM claimed
    RETURNING id, notification_id, by_hand
  )
  SELECT c.id, c.account_id, c.event, c.subject_id, c.url, c.body, c.fence, t.id AS attempt, t.by_hand, c.receiver_id,
    coalesce(r.format, 'standard') AS format, coalesce(r.language, 'en') AS language, r.removed_at IS NOT NULL AS receiver_removed,
    array_remove(ARRAY[CASE WHEN c.receiver_id IS NULL THEN a.notification_secret END, r.secret,
      CASE WHEN r.previous_secret_until > now() THEN r.previous_secret END], NULL) AS secrets,
    (SELECT count(*)::int FROM notification_attempt i
     WHERE i.notification_id = c.id AND i.error ->> 'code' = 'interrupted' AND (i.by_hand OR NOT t.by_hand)
       AND i.id > coalesce(${SETTLED}, 0)) AS interrupted,
    (extract(epoch FROM now()) * 1000)::float8 AS at_ms
  FROM claimed c JOIN tried t ON t.notification_id = c.id JOIN account a ON a.id = c.account_id
  LEFT JOIN receiver r ON r.id = c.receiver_id`

/** Writes down what came of an attempt, and when the next is; one taken for abandoned is kept, and decides nothing. */
export async function settleAttempt(
  pool: Pool,
  { id, fence, attempt, by_hand: byHand }: Pick<ClaimedAttempt, 'id' | 'fence' | 'attempt' | 'by_hand'>,
  { tookMs, httpStatus, error }: AttemptResult & { tookMs: number },
): Promise<void> {
  await pool.query({
    name: 'settle-notification',
    ...named(SETTLE, {
      id,
      fence,
      attempt,
      byHand,
      acknowledged: error === null,
      tookMs,
      httpStatus,
      error: error === null ? null : JSON.stringify(error),
      afterMinutes: [...RETRY_AFTER_MINUTES],
    }),
  })
}

// What was asked for by hand while it was under way is asked for still, and what was ended meanwhile has ended.
// An array's element beyond its end is null.
const SETTLE = `
  WITH tried AS (
    UPDATE notification_attempt SET took_ms = :tookMs, http_status = :httpStatus, error = :error::jsonb
    WHERE id = :attempt
    RETURNING at
  )
  UPDATE notification n SET
    leased_by = NULL,
    leased_until = NULL,
    repeat_at = CASE WHEN n.repeat_at > (SELECT at FROM tried) THEN n.repeat_at END,
    attempts = n.attempts + CASE WHEN :byHand THEN 0 ELSE 1 END,
    status = CASE
      WHEN :acknowledged THEN 'acknowledged'
      WHEN :byHand OR n.due_at IS NULL THEN n.status
      WHEN (:afterMinutes::int[])[n.attempts + 1] IS NULL THEN 'failed'
      ELSE n.status END,
    due_at = CASE
      WHEN :acknowledged THEN NULL
      WHEN :byHand OR n.due_at IS NULL THEN n.due_at
      ELSE now() + make_interval(mins => (:afterMinutes::int[])[n.attempts + 1]) END
  WHERE n.id = :id AND n.fence = :fence AND n.leased_by IS NOT NULL`
