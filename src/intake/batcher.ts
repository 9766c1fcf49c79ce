import type { Pool } from 'pg'
import { databaseFailure } from '../database/sqlstates.ts'
import { logHeld } from '../delivery/ledger/log-held.ts'
import type { Logger } from '../log.ts'
import { GIVE_UP_MS } from '../webhook/patience.ts'
import { type Incoming, type Stored, storeEvents } from './store.ts'

interface Waiting {
  event: Incoming
  /** Rows that it touches. */
  rows: string[]
  /** Since when, as `performance.now()` counts. */
  since: number
  resolve: (stored: Stored) => void
  reject: (error: unknown) => void
}

/** Most events in one transaction, and most bytes of their bodies, unless a single one has more. */
const LARGEST_BATCH = { events: 64, bytes: 4 * 1024 * 1024 }
/** Transactions under way at once. */
const TRANSACTIONS = 2
/**
 * What the second begins for: so many events, or one that has waited so long for the first. A statement alone costs
 * PostgreSQL and this process as much as three or four events in it.
 */
const SECOND_FOR = { events: 16, afterMs: 10 }
/** Times a batch that met a deadlock or a serialisation failure is tried again. */
const CONFLICT_RETRIES = 3

/**
 * Group commit: webhooks that arrive while a transaction waits for the disk share the next one. A lone
 * webhook is stored at once; under load the cost of a commit is spread over up to 64.
 */
export class IntakeBatcher {
  readonly #pool: Pool
  readonly #log: Logger
  #waiting: Waiting[] = []
  #running = 0
  /** A look at what waits is to come. */
  #looking = false
  /** Begins a second transaction for one that waits for the first. */
  #second: NodeJS.Timeout | undefined
  /** Rows that transactions under way touch. */
  readonly #busy = new Set<string>()

  constructor(pool: Pool, log: Logger) {
    this.#pool = pool
    this.#log = log
  }

  /**
   * Resolves once the event is durably stored; rejects when it is not, or when the database has not said so in time:
   * what is under way may then be stored all the same, and is a duplicate when it comes again.
   */
  store(event: Incoming): Promise<Stored> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { event, rows: rowsTouched(event), since: performance.now(), resolve, reject }
      const timer = setTimeout(() => {
        // Else what nobody waits for any more would fill the memory while the database is away.
        this.#waiting = this.#waiting.filter((other) => other !== waiting)
        reject(new Error(`the database did not store it within ${GIVE_UP_MS} ms`))
      }, GIVE_UP_MS)
      waiting.resolve = (stored) => {
        clearTimeout(timer)
        resolve(stored)
      }
      waiting.reject = (error) => {
        clearTimeout(timer)
        reject(error)
      }
      this.#waiting.push(waiting)
      this.#drainSoon()
    })
  }

  /** Once all that has come in already is read: it shares the transaction. */
  #drainSoon(): void {
    if (this.#looking || this.#running === TRANSACTIONS) return
    this.#looking = true
    setImmediate(() => {
      this.#looking = false
      this.#drain()
    })
  }

  #drain(): void {
    while (this.#mayBegin()) {
      const batch = this.#take()
      // All that waits is behind a transaction under way; its end drains again.
      if (batch.length === 0) return
      const touched = batch.flatMap(({ rows }) => rows)
      for (const row of touched) this.#busy.add(row)
      this.#running += 1
      void this.#run(batch).finally(() => {
        for (const row of touched) this.#busy.delete(row)
        this.#running -= 1
        this.#drainSoon()
      })
    }
  }

  #mayBegin(): boolean {
    const [first] = this.#waiting
    if (first === undefined || this.#running === TRANSACTIONS) return false
    if (this.#running === 0 || this.#waiting.length >= SECOND_FOR.events) return true
    const inMs = first.since + SECOND_FOR.afterMs - performance.now()
    if (inMs <= 0) return true
    this.#second ??= setTimeout(() => {
      this.#second = undefined
      this.#drain()
    }, inMs)
    return false
  }

  /**
   * The next batch, in the order of arrival. What would touch a row that an earlier one touches waits, in this
   * batch or under way: a statement may touch a row once, and a newer version must not be overtaken by an older.
   */
  #take(): Waiting[] {
    const batch: Waiting[] = []
    const later: Waiting[] = []
    const touched = new Set(this.#busy)
    let seen = 0
    let bytes = 0
    for (const waiting of this.#waiting) {
      bytes += waiting.event.body.length
      if (batch.length === LARGEST_BATCH.events || (seen > 0 && bytes > LARGEST_BATCH.bytes)) break
      seen += 1
      if (waiting.rows.some((row) => touched.has(row))) later.push(waiting)
      else batch.push(waiting)
      for (const row of waiting.rows) touched.add(row)
    }
    this.#waiting = later.concat(this.#waiting.slice(seen))
    return batch
  }

  async #run(batch: Waiting[]): Promise<void> {
    try {
      const stored = await storeWithRetry(
        this.#pool,
        batch.map(({ event }) => event),
      )
      for (const [index, { resolve }] of batch.entries()) resolve(stored[index] as Stored)
      logHeld(
        this.#log,
        stored.flatMap(({ held }) => held ?? []),
      )
    } catch (error) {
      // One that PostgreSQL refuses must not take the others with it.
      if (batch.length > 1 && databaseFailure(error) === 'refused')
        await Promise.all(batch.map((one) => this.#run([one])))
      else for (const { reject } of batch) reject(error)
    }
  }
}

function rowsTouched({ accountId, sourceId, digest, plan, documentId }: Incoming): string[] {
  const event = `${sourceId} ${digest.toString('base64')}`
  return plan === null ? [event] : [event, `${accountId} ${plan.siteId} ${documentId}`]
}

async function storeWithRetry(pool: Pool, events: Incoming[]): Promise<Stored[]> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await storeEvents(pool, events)
    } catch (error) {
      if (retry === CONFLICT_RETRIES || databaseFailure(error) !== 'conflict') throw error
    }
  }
}
