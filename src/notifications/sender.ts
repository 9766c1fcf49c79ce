import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import pRetry from 'p-retry'
import type { Pool } from 'pg'
import { reclaimAbandoned } from '../jobs/leased-work.ts'
import type { Logger } from '../log/log.ts'
import { addSpanAttributes, withSpan } from '../observe/trace.ts'
import type { Outbound } from '../outbound/outbound.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { formatOutcome } from './chat.ts'
import {
  type AttemptResult,
  type ClaimedAttempt,
  CONCURRENCY_LIMITS,
  claimDueAttempts,
  LEASE_S,
  MAX_BYTES_IN_FLIGHT,
  MAX_INTERRUPTED,
  NOT_BEGUN_CODE,
  notificationLeases,
  POLL_MS,
  postNotification,
  settleAttempt,
} from './claim.ts'
import { createDueDigests, DIGEST_POLL_MS } from './mail/digest.ts'
import { mailNotConfiguredFailure, type SendMail } from './mail/mailer.ts'
import { MAILTO } from './mail/settings.ts'
import { signatureHeaders } from './signing-secrets.ts'

export interface SenderNeeds {
  pool: Pool
  outbound: Outbound
  keyring: Keyring
  log: Logger
  /** Base of the links in a chat message, without a trailing slash. */
  publicUrl: () => string
  /** Undefined where this Galley sends no mail. */
  mail?: SendMail | undefined
}

/** Milliseconds between two tries to write down what came of an attempt. */
const SETTLE_RETRY_MS = 500

/** Sends what is due until asked to stop. Waits by the steady clock; the database says what is due. */
export class NotificationSender {
  readonly #needs: SenderNeeds
  /** Stands in the leases of this process. */
  readonly #id = randomInt(1, 2 ** 31 - 1)
  readonly #underWay = new Set<Promise<void>>()
  #bytes = 0

  constructor(needs: SenderNeeds) {
    this.#needs = needs
  }

  async run(stopping: AbortSignal): Promise<void> {
    await Promise.all([
      this.#repeat(stopping, POLL_MS, 'due notifications', () => this.#look(stopping)),
      this.#repeat(stopping, DIGEST_POLL_MS, 'due mails', () => createDueDigests(this.#needs.pool)),
    ])
    await Promise.all(this.#underWay)
  }

  async #repeat(stopping: AbortSignal, pauseMs: number, what: string, look: () => Promise<void>) {
    let failing = false
    while (!stopping.aborted) {
      try {
        await look()
        failing = false
      } catch (err) {
        // Logged once: what waits is in the database, and leaves when that is back.
        if (!failing) this.#needs.log.warn({ err }, `${what} wait: they could not be read`)
        failing = true
      }
      await wait(pauseMs, undefined, { signal: stopping }).catch(() => undefined)
    }
  }

  async #look(stopping: AbortSignal): Promise<void> {
    const { pool } = this.#needs
    await reclaimAbandoned(pool, notificationLeases)
    const room = {
      places: CONCURRENCY_LIMITS.ofProcess - this.#underWay.size,
      bytes: MAX_BYTES_IN_FLIGHT - this.#bytes,
    }
    if (stopping.aborted || room.places <= 0 || room.bytes <= 0) return
    for (const claimed of await claimDueAttempts(pool, this.#id, room)) {
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
    const { pool, log } = this.#needs
    const began = performance.now()
    const answer = await this.#tell(claimed).catch((err) => {
      log.error({ err, notification: claimed.id }, 'a notification could not be sent')
      return NOT_SENT
    })
    const tookMs = Math.round(performance.now() - began)
    const { id, account_id: account } = claimed
    addSpanAttributes({
      ...(answer.httpStatus !== null && { 'http.response.status_code': answer.httpStatus }),
      ...(answer.error !== null && { 'error.type': answer.error.code }),
    })
    log.info(
      { notification: id, account, status: answer.httpStatus, ms: tookMs, code: answer.error?.code },
      answer.error === null ? 'a notification was acknowledged' : 'a notification was not acknowledged',
    )
    // What is known now would otherwise be found out by sending it again; for as long as it is this process's to say.
    const retries = (LEASE_S * 1_000) / SETTLE_RETRY_MS
    const timing = { retries, factor: 1, minTimeout: SETTLE_RETRY_MS }
    await pRetry(() => settleAttempt(pool, claimed, { ...answer, tookMs }), timing).catch((err) =>
      log.warn({ err, notification: id }, 'a notification is sent again'),
    )
  }

  async #tell(claimed: ClaimedAttempt): Promise<AttemptResult> {
    const { id, account_id: accountId, receiver_id: receiverId, secrets } = claimed
    const { at_ms, url, format, language, body: stored } = claimed
    if (claimed.interrupted >= MAX_INTERRUPTED) return NOT_BEGUN
    if (claimed.receiver_removed) return REMOVED
    if (url.startsWith(MAILTO)) return this.#needs.mail?.({ id, url, body: stored, language }) ?? NO_MAIL
    const body = formatOutcome(format, stored, this.#needs.publicUrl())
    const at = new Date(at_ms)
    const message = { id, accountId, receiverId, secrets, at, body }
    const headers = () => signatureHeaders(this.#needs.keyring, message)
    return postNotification(this.#needs.outbound, { url, headers, body })
  }
}

const unsent = (error: AttemptResult['error']): AttemptResult => ({ httpStatus: null, error })

const NO_MAIL = unsent(mailNotConfiguredFailure)

const NOT_SENT = unsent({
  code: 'not_sent',
  message:
    'Galley itself failed to send it. Its operator finds more in the log; ask for it to be sent again afterwards.',
})

const REMOVED = unsent({
  code: 'receiver_removed',
  message: 'The receiver of this notification was removed: nothing is sent to it any more.',
})

const NOT_BEGUN = unsent({
  code: NOT_BEGUN_CODE,
  message: `Galley was stopped during ${MAX_INTERRUPTED} attempts to send this notification, and does not start another. Ask for it to be sent again once its operator knows why.`,
})
