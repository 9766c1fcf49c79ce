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

/** A notification: event and body. */
export interface JobNotification {
  event: string
  url: string
  body: string
}

interface PaidCall {
  id: string
  usage: Record<string, number> | undefined
  costMicros: number | undefined
}

/** Characters; longer answers are stored alone, so that small ones need not wait. */
export const BATCHED_BELOW_CHARACTERS = 64 * 1024

/**
 * The ledger of one claimed job. Every write carries the claim's fence and renews a lease that is
 * half over; with an outdated fence it changes nothing and throws {@link ClaimLost}. Writes of
 * several jobs in one tick share a statement.
 */
export class JobLedger implements JobLease {
  readonly kind = jobLeases
  readonly #pool: Pool
  readonly #row: JobRow
  readonly #leaseS: number
  readonly #lost = new AbortController()
  #progress: Partial<Record<GenerationStep, number>> = {}
  /** Writes are serial, so that no statement has the same job twice. */
  #last: Promise<unknown> = Promise.resolve()

  /** @param row as claimed; kept up to date with what is written */
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

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  confirm(): void {
    // Every write checks the fence itself.
  }

  lose(): void {
    this.#lost.abort(new ClaimLost(this.id))
  }

  /** Sets the number of parts of a step, stored with the next write. */
  expectParts(step: GenerationStep, parts: number): void {
    if (this.#row.progress[step] === parts) return
    this.#row.progress[step] = parts
    this.#progress = { ...this.#progress, [step]: parts }
  }

  /** Unwritten progress, for the statement that ends the claim. */
  get unwritten(): string {
    return JSON.stringify(this.#progress)
  }

  /** Sets the current step and queues the notification of the one before. */
  async enterStep(status: GenerationStep, notification: JobNotification | null): Promise<void> {
    const told = notification === null ? null : uuid()
    const { event, url, body } = notification ?? { event: null, url: null, body: null }
    await this.#begin(ENTER_STEP, { status, told, event, url, body })
    this.#row.status = status
  }

  /**
   * Stores a call before it is sent.
   *
   * @returns its id, its key, and the number of calls of the part with lost answers; undefined
   * where the provider is in trouble, and nothing was written
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

  /** Stores a part's answer, with or without a call; idempotent. */
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

  /** Ends a call that made nothing (`failed`), or whose result is unknown (`lost`). */
  async endCall(
    id: string,
    outcome: 'failed' | 'lost',
    error: { code: string; message: string },
  ): Promise<void> {
    await this.#write(END_CALL, { call: id, outcome, error: storableJson(error) })
  }

  /** Ends the claim; the job waits as told. */
  async release({ waitsFor, inMs }: JobPause): Promise<void> {
    const { attempts, fresh: untouched } = this.#row
    await this.#write(RELEASE_JOB, { waits_for: waitsFor, in_ms: inMs ?? null, attempts, untouched })
  }

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

  /** A write that starts the job, even if its result was lost. */
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
    // Progress reported meanwhile is in a new object.
    if (this.#progress === told) this.#progress = {}
    return written
  }
}

/** The job was claimed by another since. */
export class ClaimLost extends Error {
  constructor(jobId: string) {
    super(`job ${jobId} was claimed by another worker`)
    this.name = 'FencedOff'
  }
}

/** The job or Galley is at fault: the attempt counts, and the last one's error ends the job. */
export class AttemptFailed extends Error {
  readonly failure: GenerationError

  constructor(failure: GenerationError) {
    super(failure.message, { cause: failure })
    this.name = 'Blamed'
    this.failure = failure
  }
}

export interface JobPause {
  /** The provider waited for; empty where there is none. */
  waitsFor: string
  /** Milliseconds to wait; undefined keeps its place in the queue. */
  inMs?: number | undefined
  /** Whether all candidates are in trouble, as opposed to busy. */
  trouble?: boolean
}

/** The job is released through no fault of its own, and goes on from what is stored. */
export class JobPaused extends Error {
  readonly pause: JobPause

  constructor(pause: JobPause) {
    super('the job is given back')
    this.name = 'Paused'
    this.pause = pause
  }
}
