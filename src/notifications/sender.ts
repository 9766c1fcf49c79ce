import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import { DatabaseClock } from '../jobs/database-clock.ts'
import type { Logger } from '../log.ts'
import { tellSpan, withSpan } from '../observe/trace.ts'
import type { Outbound } from '../outbound/index.ts'
import type { Keyring } from '../secrets/index.ts'
import { type Claimed, claimDue, freeAbandoned } from './claim.ts'
import { DIGEST_LOOK_MS, gatherDigests } from './mail/digest.ts'
import { notConfigured } from './mail/failures.ts'
import type { SendMail } from './mail/mailer.ts'
import { MAILTO } from './mail/settings.ts'
import { Presence } from './presence.ts'
import { holdsTheFuture, rescheduleToNow } from './put-back.ts'
import { type Answer, tell } from './receiver.ts'
import { type Signing, signatureHeaders } from './secret.ts'
import { settle } from './settle.ts'
import { BYTES_AT_ONCE, LEASE_S, LOOK_MS, MOST_INTERRUPTED, NOT_BEGUN_CODE, PLACES } from './timetable.ts'

export interface SenderNeeds {
  pool: Pool
  outbound: Outbound
  keyring: Keyring
  log: Logger
  /** Undefined where this Galley sends no mail. */
  mail?: SendMail | undefined
}

/** Milliseconds between two tries to write down what came of an attempt. */
const SETTLE_AGAIN_MS = 500

/**
 * Sends what is due, until it is asked to stop; then what is under way ends. It waits by the steady clock of the system and
 * asks the database what time it is, so that a clock of its own which jumps makes nothing early or late. Where that of the
 * database is put back, nothing is early either, and nothing later than if it were planned then.
 */
export class Sender {
  readonly #needs: SenderNeeds
  readonly #presence: Presence
  readonly #clock = new DatabaseClock()
  /** What is planned may be of a time to come: until it was brought to now, whatever fails meanwhile; undefined before the first look. */
  #putBack: boolean | undefined
  readonly #underWay = new Set<Promise<void>>()
  #bytes = 0
  #gatheredAt = Number.NEGATIVE_INFINITY

  constructor(needs: SenderNeeds) {
    this.#needs = needs
    this.#presence = new Presence(needs.pool)
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
      await wait(LOOK_MS, undefined, { signal: stopping }).catch(() => undefined)
    }
    await Promise.all(this.#underWay)
    this.#presence.release()
  }

  async #look(stopping: AbortSignal): Promise<void> {
    const { pool } = this.#needs
    const me = await this.#presence.key()
    const asked = performance.now()
    const at = await freeAbandoned(pool)
    if (this.#clock.wasPutBack(at, asked)) this.#putBack = true
    this.#putBack ??= await holdsTheFuture(pool)
    if (this.#putBack) await rescheduleToNow(pool)
    this.#putBack = false
    if (performance.now() - this.#gatheredAt >= DIGEST_LOOK_MS) {
      await gatherDigests(pool)
      this.#gatheredAt = performance.now()
    }
    const room = { places: PLACES.ofProcess - this.#underWay.size, bytes: BYTES_AT_ONCE - this.#bytes }
    if (stopping.aborted || room.places <= 0 || room.bytes <= 0) return
    for (const claimed of await claimDue(pool, me, room)) {
      this.#bytes += claimed.body.length
      const attempt = this.#attempt(claimed).finally(() => {
        this.#bytes -= claimed.body.length
        this.#underWay.delete(attempt)
      })
      this.#underWay.add(attempt)
    }
  }

  /** A receiver's address may hold a token, so that a span names its host alone; of a mail not even that. */
  #attempt(claimed: Claimed): Promise<void> {
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

  async #attemptNow(claimed: Claimed): Promise<void> {
    const { log } = this.#needs
    const made = claimed.interrupted >= MOST_INTERRUPTED ? NOT_BEGUN : this.#tell(claimed)
    const answer = await Promise.resolve(made).catch((err) => {
      log.error({ err, notification: claimed.id }, 'a notification could not be sent')
      return NOT_SENT
    })
    const { id, account_id: account } = claimed
    tellSpan({
      ...(answer.httpStatus !== null && { 'http.response.status_code': answer.httpStatus }),
      ...(answer.error !== null && { 'error.type': answer.error.code }),
    })
    log.info(
      { notification: id, account, status: answer.httpStatus, ms: answer.tookMs, code: answer.error?.code },
      answer.error === null ? 'a notification was acknowledged' : 'a notification was not acknowledged',
    )
    await this.#settle(claimed, answer)
  }

  #tell(claimed: Claimed): Answer | Promise<Answer> {
    const { id, at_ms, body, url } = claimed
    if (claimed.receiver_removed) return REMOVED
    if (url.startsWith(MAILTO)) return this.#needs.mail?.({ id, url, body }) ?? Promise.resolve(NO_MAIL)
    const at = new Date(at_ms)
    const headers = () => signatureHeaders(this.#needs.keyring, signingOf(claimed), { id, at, body })
    return tell(this.#needs.outbound, { url, headers, body })
  }

  /** What is known now would otherwise be found out by sending it again; for as long as it is this process's to say. */
  async #settle(claimed: Claimed, answer: Answer): Promise<void> {
    const { pool, log } = this.#needs
    for (let tries = (LEASE_S * 1000) / SETTLE_AGAIN_MS; ; tries -= 1) {
      try {
        return await settle(pool, claimed, answer)
      } catch (err) {
        if (tries <= 0) return log.warn({ err, notification: claimed.id }, 'a notification is sent again')
      }
      await wait(SETTLE_AGAIN_MS)
    }
  }
}

const signingOf = ({
  receiver_id: receiverId,
  receiver_secrets: secrets,
  account_id: accountId,
  notification_secret: secret,
}: Claimed): Signing => (receiverId === null ? { accountId, secret } : { receiverId, secrets })

const NO_MAIL: Answer = { tookMs: 0, httpStatus: null, error: notConfigured }

const NOT_SENT: Answer = {
  tookMs: 0,
  httpStatus: null,
  error: {
    code: 'not_sent',
    message:
      'Galley itself failed to send it. Its operator finds more in the log; ask for it to be sent again afterwards.',
  },
}

const REMOVED: Answer = {
  tookMs: 0,
  httpStatus: null,
  error: {
    code: 'receiver_removed',
    message: 'The receiver of this notification was removed: nothing is sent to it any more.',
  },
}

const NOT_BEGUN: Answer = {
  tookMs: 0,
  httpStatus: null,
  error: {
    code: NOT_BEGUN_CODE,
    message: `Galley was stopped during ${MOST_INTERRUPTED} attempts to send this notification, and does not start another. Ask for it to be sent again once its operator knows why.`,
  },
}
