import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import type { GenerationStep } from '../../contract/generation/results.ts'
import { batched } from '../../database/batched.ts'
import { named, storableJson } from '../../database/statement.ts'
import type { GenerationError } from '../failure.ts'
import type { JobRow, PartName } from './job.ts'
import { type JobLease, jobLeases } from './leases.ts'
import {
  BEGIN_CALL,
  END_CALL,
  ENTER_STEP,
  RELEASE_JOB,
  STORE_PART,
  type WriteKind,
  type WriteResult,
  writeFenced,
} from './statements.ts'
import type { StoredAnswer } from './stored-answer.ts'

/** What somebody is to be told: an event, and the body that is posted. */
export interface JobNotification {
  event: string
  url: string
  body: string
}

/** What is known of a call that was answered. */
interface PaidCall {
  id: string
  usage: Record<string, number> | undefined
  costMicros: number | undefined
}

/** Characters of an answer beyond which it is stored by itself: what shares its statement would wait for it. */
export const BATCHED_BELOW_CHARACTERS = 64 * 1024

/**
 * The ledger of one claimed job. Every write carries the claim's fence, and renews its lease where half of it is over; with
 * an older fence than the row's it changes nothing and throws {@link ClaimLost}. What several jobs write in the same moment
 * is one statement, in which each stands for itself.
 */
export class JobLedger implements JobLease {
  readonly kind = jobLeases
  readonly #pool: Pool
  readonly #row: JobRow
  readonly #leaseS: number
  readonly #lost = new AbortController()
  /** What the next write says of its progress. */
  #progress: Partial<Record<GenerationStep, number>> = {}
  /** One write after the other: no statement has the same job twice. */
  #last: Promise<unknown> = Promise.resolve()

  /** @param row as the claim returned it; kept up with what is written */
  constructor(pool: Pool, row: JobRow, leaseS: number) {
    this.#pool = pool
    this.#row = row
    this.#leaseS = leaseS
  }

  get id(): string {
    return this.#row.id
  }

  get fence(): number {
    return this.#row.fence
  }

  /** Aborted when the claim counts no more. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  confirm(): void {
    // Every write asks for itself, and none leaves without one.
  }

  lose(): void {
    this.#lost.abort(new ClaimLost(this.id))
  }

  /** So many parts the step has; stored with the next write. */
  expectParts(step: GenerationStep, parts: number): void {
    if (this.#row.progress[step] === parts) return
    this.#row.progress[step] = parts
    this.#progress = { ...this.#progress, [step]: parts }
  }

  /** What {@link expectParts} has heard since the last write, for the statement that ends the claim. */
  get unwritten(): string {
    return JSON.stringify(this.#progress)
  }

  /** The job is at this step now, and whoever wants to know is told of the one before. */
  async enterStep(status: GenerationStep, notification: JobNotification | null): Promise<void> {
    const told = notification === null ? null : uuid()
    const { event, url, body } = notification ?? { event: null, url: null, body: null }
    await this.#begin(ENTER_STEP, { status, told, event, url, body })
    this.#row.status = status
  }

  /**
   * Written before a call leaves.
   *
   * @returns its id, the key that it carries, and of how many calls of the part nobody heard the answer; undefined where its provider is in trouble, and nothing was written
   */
  async beginCall(
    { step, name }: PartName,
    { provider, model, probing }: { provider: string; model: string; probing: boolean },
  ): Promise<{ id: string; key: string; unacknowledged: number } | undefined> {
    const id = uuid()
    const { key, unacknowledged } = await this.#begin(BEGIN_CALL, {
      call: id,
      step,
      part: name,
      provider,
      model,
      probing,
    })
    if (typeof key !== 'string') return undefined
    return { id, key, unacknowledged: Number(unacknowledged) }
  }

  /** Stores the answer of a part, of a call or of none. Once it is stored, a repetition changes nothing. */
  async storePart({ step, name }: PartName, answer: StoredAnswer, call?: PaidCall): Promise<void> {
    const json = storableJson(answer)
    const values = {
      call: call?.id ?? null,
      step,
      part: name,
      answer: json,
      usage: call?.usage === undefined ? null : JSON.stringify(call.usage),
      cost: call?.costMicros === undefined ? null : Math.round(call.costMicros),
    }
    await this.#begin(STORE_PART, values, json.length < BATCHED_BELOW_CHARACTERS)
    this.#row.attempts = 0
    this.#row.parts.push([step, name])
  }

  /** A call made nothing (`failed`), or nobody knows what it made (`lost`). */
  async endCall(
    id: string,
    outcome: 'failed' | 'lost',
    error: { code: string; message: string },
  ): Promise<void> {
    await this.#write(END_CALL, { call: id, outcome, error: storableJson(error) })
  }

  /** Ends the claim, and lets others take the job when what it waits for is there. */
  async release({ waitsFor, inMs }: JobPause): Promise<void> {
    const { attempts, fresh: untouched } = this.#row
    await this.#write(RELEASE_JOB, { waits_for: waitsFor, in_ms: inMs ?? null, attempts, untouched })
  }

  /** What is stored of a part; undefined where that is nothing. */
  async storedPart({ step, name }: PartName): Promise<StoredAnswer | undefined> {
    if (!this.#row.parts.some(([ofStep, of]) => ofStep === step && of === name)) return undefined
    const { rows } = await this.#pool.query<{ answer: StoredAnswer }>(
      named(
        'SELECT answer FROM generation_part WHERE job_id = :id AND step = :step AND name = :name AND answered_at IS NOT NULL',
        { id: this.id, step, name },
      ),
    )
    return rows[0]?.answer
  }

  /** A write by which a job is begun, be it that nobody heard what came of it. */
  async #begin(
    kind: WriteKind,
    values: Record<string, unknown>,
    shared = true,
  ): Promise<Record<string, unknown>> {
    try {
      const written = await this.#write(kind, values, shared)
      if (kind !== BEGIN_CALL || typeof written.key === 'string') this.#row.fresh = false
      return written
    } catch (error) {
      this.#row.fresh = false
      throw error
    }
  }

  #write(kind: WriteKind, values: Record<string, unknown>, shared = true): Promise<Record<string, unknown>> {
    const write = this.#last.then(() => this.#writeNow(kind, values, shared))
    this.#last = write.catch(() => undefined)
    return write
  }

  async #writeNow(
    kind: WriteKind,
    values: Record<string, unknown>,
    shared: boolean,
  ): Promise<Record<string, unknown>> {
    const { id, fence } = this
    const told = this.#progress
    const writing = { id, fence, progress: JSON.stringify(told), values }
    const written: WriteResult = shared
      ? await batched(this.#pool, `generation ${kind.name}`, writing, (all) =>
          writeFenced(this.#pool, kind, this.#leaseS, all),
        )
      : (await writeFenced(this.#pool, kind, this.#leaseS, [writing]))[0]
    if (written === undefined) {
      this.lose()
      throw new ClaimLost(id)
    }
    // What was said meanwhile is of another object.
    if (this.#progress === told) this.#progress = {}
    return written
  }
}

/** Somebody else has claimed the job since: this worker's word no longer counts. */
export class ClaimLost extends Error {
  constructor(jobId: string) {
    super(`job ${jobId} was claimed by another worker`)
    this.name = 'FencedOff'
  }
}

/** What failed is the job's own doing, or Galley's: the attempt counts, and after the last one this is how it ends. */
export class AttemptFailed extends Error {
  readonly failure: GenerationError

  constructor(failure: GenerationError) {
    super(failure.message, { cause: failure })
    this.name = 'Blamed'
    this.failure = failure
  }
}

/** Where a job goes that is given back before its end. */
export interface JobPause {
  /** The provider whose pause or whose full places it waits for; empty where it waits for none. */
  waitsFor: string
  /** Milliseconds before which nobody takes it; undefined for its old place in the line. */
  inMs?: number | undefined
  /** All that could answer it are in trouble; one that only has to wait its turn is in none. */
  trouble?: boolean
}

/** The job cannot go on now, at no fault of its own: it is given back, and goes on from what is stored. */
export class JobPaused extends Error {
  readonly pause: JobPause

  constructor(pause: JobPause) {
    super('the job is given back')
    this.name = 'Paused'
    this.pause = pause
  }
}
