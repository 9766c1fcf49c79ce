import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import { DatabaseClock } from '../jobs/database-clock.ts'
import type { Logger } from '../log/log.ts'
import { addSpanAttributes, withSpan } from '../observe/trace.ts'
import type { Outbound } from '../outbound/index.ts'
import type { Keyring } from '../secrets/index.ts'
import {
  type AttemptResult,
  CONCURRENCY_LIMITS,
  LEASE_S,
  MAX_BYTES_IN_FLIGHT,
  MAX_INTERRUPTED,
  NOT_BEGUN_CODE,
  POLL_MS,
  postNotification,
} from './attempt.ts'
import { type ClaimedAttempt, claimDueAttempts, reclaimAbandoned, settleAttempt } from './claim.ts'
import { createDueDigests, DIGEST_POLL_MS } from './mail/digest.ts'
import { mailNotConfiguredFailure, type SendMail } from './mail/mailer.ts'
import { MAILTO } from './mail/settings.ts'
import { ProcessLock } from './process-lock.ts'
import { clampNotificationDueDates, hasFutureRows } from './put-back.ts'
import { type SigningKeys, signatureHeaders } from './signing-secrets.ts'

export interface SenderNeeds {
  pool: Pool
  outbound: Outbound
  keyring: Keyring
  log: Logger
  /** Undefined where this Galley sends no mail. */
  mail?: SendMail | undefined
}

/** Milliseconds between two tries to write down what came of an attempt. */
const SETTLE_RETRY_MS = 500

/**
 * Sends what is due, until it is asked to stop; then what is under way ends. It waits by the steady clock of the system and
 * asks the database what time it is, so that a clock of its own which jumps makes nothing early or late. Where that of the
 * database is put back, nothing is early either, and nothing later than if it were planned then.
 */
export class NotificationSender {
  readonly #needs: SenderNeeds
  readonly #presence: ProcessLock
  readonly #clock = new DatabaseClock()
  /** What is planned may be of a time to come: until it was brought to now, whatever fails meanwhile; undefined before the first look. */
  #putBack: boolean | undefined
  readonly #underWay = new Set<Promise<void>>()
  #bytes = 0
  #gatheredAt = Number.NEGATIVE_INFINITY

  constructor(needs: SenderNeeds) {
    this.#needs = needs
    this.#presence = new ProcessLock(needs.pool)
  }

  async run(stopping: AbortSignal): Promise<void> {
    const { log } = this.#needs
    let failing = false
    while (!stopping.aborted) {
      try {
        await this.#look(stopping)
        failing = false
      } catch (err) {
        // Said once: what waits is in the database, and leaves when that is back.
        if (!failing) log.warn({ err }, 'notifications wait: what is due could not be read')
        failing = true
      }
      await wait(POLL_MS, undefined, { signal: stopping }).catch(() => undefined)
    }
    await Promise.all(this.#underWay)
    this.#presence.release()
  }

  async #look(stopping: AbortSignal): Promise<void> {
    const { pool } = this.#needs
    const me = await this.#presence.key()
    const asked = performance.now()
    const at = await reclaimAbandoned(pool)
    if (this.#clock.wasPutBack(at, asked)) this.#putBack = true
    this.#putBack ??= await hasFutureRows(pool)
    if (this.#putBack) await clampNotificationDueDates(pool)
    this.#putBack = false
    if (performance.now() - this.#gatheredAt >= DIGEST_POLL_MS) {
      await createDueDigests(pool)
      this.#gatheredAt = performance.now()
    }
    const room = {
      places: CONCURRENCY_LIMITS.ofProcess - this.#underWay.size,
      bytes: MAX_BYTES_IN_FLIGHT - this.#bytes,
    }
    if (stopping.aborted || room.places <= 0 || room.bytes <= 0) return
    for (const claimed of await claimDueAttempts(pool, me, room)) {
      this.#bytes += claimed.body.length
      const attempt = this.#attempt(claimed).finally(() => {
        this.#bytes -= claimed.body.length
        this.#underWay.delete(attempt)
      })
      this.#underWay.add(attempt)
    }
  }

  /** A receiver's address may hold a token, so that a span names its host alone; of a mail not even that. */
  #attempt(claimed: ClaimedAttempt): Promise<void> {
    const { id, url, event, subject_id: subject } = claimed
    const isMail = url.startsWith(MAILTO)
    const facts = {
      'galley.notification': id,
      'galley.notification.event': event,
      'galley.notification.subject': subject,
      ...(!isMail && URL.canParse(url) && { 'server.address': new URL(url).hostname }),
    }
    return withSpan(isMail ? 'mail' : 'notification', { kind: 'client', facts }, () =>
      this.#attemptNow(claimed),
    )
  }

  async #attemptNow(claimed: ClaimedAttempt): Promise<void> {
    const { log } = this.#needs
    const made = claimed.interrupted >= MAX_INTERRUPTED ? NOT_BEGUN : this.#tell(claimed)
    const answer = await Promise.resolve(made).catch((err) => {
      log.error({ err, notification: claimed.id }, 'a notification could not be sent')
      return NOT_SENT
    })
    const { id, account_id: account } = claimed
    addSpanAttributes({
      ...(answer.httpStatus !== null && { 'http.response.status_code': answer.httpStatus }),
      ...(answer.error !== null && { 'error.type': answer.error.code }),
    })
    log.info(
      { notification: id, account, status: answer.httpStatus, ms: answer.tookMs, code: answer.error?.code },
      answer.error === null ? 'a notification was acknowledged' : 'a notification was not acknowledged',
    )
    await this.#settle(claimed, answer)
  }

  #tell(claimed: ClaimedAttempt): AttemptResult | Promise<AttemptResult> {
    const { id, at_ms, body, url } = claimed
    if (claimed.receiver_removed) return REMOVED
    if (url.startsWith(MAILTO)) return this.#needs.mail?.({ id, url, body }) ?? Promise.resolve(NO_MAIL)
    const at = new Date(at_ms)
    const headers = () => signatureHeaders(this.#needs.keyring, signingOf(claimed), { id, at, body })
    return postNotification(this.#needs.outbound, { url, headers, body })
  }

  /** What is known now would otherwise be found out by sending it again; for as long as it is this process's to say. */
  async #settle(claimed: ClaimedAttempt, answer: AttemptResult): Promise<void> {
    const { pool, log } = this.#needs
    for (let tries = (LEASE_S * 1000) / SETTLE_RETRY_MS; ; tries -= 1) {
      try {
        return await settleAttempt(pool, claimed, answer)
      } catch (err) {
        if (tries <= 0) return log.warn({ err, notification: claimed.id }, 'a notification is sent again')
      }
      await wait(SETTLE_RETRY_MS)
    }
  }
}

const signingOf = ({
  receiver_id: receiverId,
  receiver_secrets: secrets,
  account_id: accountId,
  notification_secret: secret,
}: ClaimedAttempt): SigningKeys => (receiverId === null ? { accountId, secret } : { receiverId, secrets })

const NO_MAIL: AttemptResult = { tookMs: 0, httpStatus: null, error: mailNotConfiguredFailure }

const NOT_SENT: AttemptResult = {
  tookMs: 0,
  httpStatus: null,
  error: {
    code: 'not_sent',
    message:
      'Galley itself failed to send it. Its operator finds more in the log; ask for it to be sent again afterwards.',
  },
}

const REMOVED: AttemptResult = {
  tookMs: 0,
  httpStatus: null,
  error: {
    code: 'receiver_removed',
    message: 'The receiver of this notification was removed: nothing is sent to it any more.',
  },
}

const NOT_BEGUN: AttemptResult = {
  tookMs: 0,
  httpStatus: null,
  error: {
    code: NOT_BEGUN_CODE,
    message: `Galley was stopped during ${MAX_INTERRUPTED} attempts to send this notification, and does not start another. Ask for it to be sent again once its operator knows why.`,
  },
}
