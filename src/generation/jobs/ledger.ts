import pRetry from 'p-retry'
import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import type { GenerationStep } from '../../contract/generation/results.ts'
import { queryRows, storableJson } from '../../database/statement.ts'
import type { Lease } from '../../jobs/leased-work.ts'
import { GenerationError } from '../failure.ts'
import type { RawAnswer } from '../providers/types.ts'
import type { Storage } from '../storage/storage.ts'
import { type JobRow, jobLeases, type PartName } from './job.ts'
import {
  BEGIN_CALL,
  END_CALL,
  ENTER_STEP,
  RELEASE_JOB,
  STORE_PART,
  type WriteKind,
  writeOne,
} from './statements.ts'

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

/** The ledger of one claimed job: each write carries the fence, renews a half-over lease, or throws {@link ClaimLost}. */
export class JobLedger implements Lease {
  readonly of = jobLeases
  readonly id: string
  readonly fence: number
  readonly #pool: Pool
  readonly #row: JobRow
  readonly #leaseS: number
  readonly #lost = new AbortController()
  readonly lost = this.#lost.signal
  #progress: Partial<Record<GenerationStep, number>> = {}
  /** Writes are serial, so that no statement has the same job twice. */
  #last: Promise<unknown> = Promise.resolve()

  /** @param row as claimed; kept up to date with what is written */
  constructor(pool: Pool, row: JobRow, leaseS: number) {
    this.id = row.id
    this.fence = row.fence
    this.#pool = pool
    this.#row = row
    this.#leaseS = leaseS
  }

  lose(): void {
    this.#lost.abort(new ClaimLost(this.id))
  }

  expectParts(step: GenerationStep, parts: number): void {
    if (this.#row.progress[step] === parts) return
    this.#row.progress[step] = parts
    this.#progress = { ...this.#progress, [step]: parts }
  }

  get unwritten(): string {
    return JSON.stringify(this.#progress)
  }

  async enterStep(status: GenerationStep, notification: JobNotification | null): Promise<void> {
    const told = notification === null ? null : uuid()
    const { event, url, body } = notification ?? { event: null, url: null, body: null }
    await this.#begin(ENTER_STEP, { status, told, event, url, body })
    this.#row.status = status
  }

  /** Stores a call before it is sent. @returns id, key and lost answers so far; undefined while the provider is in trouble */
  async beginCall(
    { step, name }: PartName,
    { provider, model, probing }: { provider: string; model: string; probing: boolean },
  ): Promise<{ id: string; key: string; unacknowledged: number; said: string } | undefined> {
    const id = uuid()
    const { key, unacknowledged, said } = await this.#begin(BEGIN_CALL, {
      call: id,
      step,
      part: name,
      provider,
      model,
      probing,
    })
    if (typeof key !== 'string') return undefined
    return { id, key, unacknowledged: Number(unacknowledged), said: String(said ?? '') }
  }

  /** Stores a part's answer, with or without a call; idempotent. */
  async storePart({ step, name }: PartName, answer: StoredAnswer, call?: PaidCall): Promise<void> {
    await this.#begin(STORE_PART, {
      call: call?.id ?? null,
      step,
      part: name,
      answer: storableJson(answer),
      usage: call?.usage === undefined ? null : JSON.stringify(call.usage),
      cost: call?.costMicros === undefined ? null : Math.round(call.costMicros),
    })
    this.#row.attempts = 0
    this.#row.stalled = 0
    this.#row.parts.push([step, name])
  }

  /** Ends a call that made nothing (`failed`), whose result is unknown (`lost`) or of no use (`unusable`). */
  async endCall(
    id: string,
    outcome: 'failed' | 'lost' | 'unusable',
    { code, message }: { code: string; message: string },
  ): Promise<void> {
    // The message of an Error is no member that JSON has.
    await this.#write(END_CALL, { call: id, outcome, error: storableJson({ code, message }) })
  }

  async release({ waitsFor, inMs }: JobPause): Promise<void> {
    const { attempts, fresh: untouched } = this.#row
    await this.#write(RELEASE_JOB, { waits_for: waitsFor, in_ms: inMs ?? null, attempts, untouched })
  }

  async storedPart({ step, name }: PartName): Promise<StoredAnswer | undefined> {
    if (!this.#row.parts.some(([ofStep, of]) => ofStep === step && of === name)) return undefined
    const rows = await queryRows<{ answer: StoredAnswer }>(
      this.#pool,
      'SELECT answer FROM generation_part WHERE job_id = :id AND step = :step AND name = :name',
      { id: this.id, step, name },
    )
    return rows[0]?.answer
  }

  /** A write that starts the job, even if its result was lost. */
  async #begin(kind: WriteKind, values: Record<string, unknown>): Promise<Record<string, unknown>> {
    try {
      const written = await this.#write(kind, values)
      if (kind !== BEGIN_CALL || typeof written.key === 'string') this.#row.fresh = false
      return written
    } catch (error) {
      this.#row.fresh = false
      throw error
    }
  }

  /** Writes after all writes before it. */
  #write(kind: WriteKind, values: Record<string, unknown>): Promise<Record<string, unknown>> {
    const write = this.#last.then(async () => {
      const { id, fence } = this
      const told = this.#progress
      const writing = { id, fence, progress: JSON.stringify(told), ...values }
      const written = await writeOne(this.#pool, kind, this.#leaseS, writing)
      if (written === undefined) {
        this.lose()
        throw new ClaimLost(id)
      }
      // Progress reported meanwhile is in a new object.
      if (this.#progress === told) this.#progress = {}
      return written
    })
    this.#last = write.catch(() => undefined)
    return write
  }
}

export class ClaimLost extends Error {
  constructor(jobId: string) {
    super(`job ${jobId} was claimed by another worker`)
    this.name = 'ClaimLost'
  }
}

/** The job or Galley is at fault: the attempt counts, and the last one's error ends the job. */
export class AttemptFailed extends Error {
  readonly failure: GenerationError

  constructor(failure: GenerationError) {
    super(failure.message, { cause: failure })
    this.name = 'AttemptFailed'
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
    this.name = 'JobPaused'
    this.pause = pause
  }
}

/** A stored part: who answered, and what, as text or as a file. What `keep` made names nobody. */
export type StoredAnswer = Partial<Omit<RawAnswer, 'body'>> &
  ({ text: string } | { file: string; binary: boolean })

/** Bytes of a text kept in the row; longer texts and binary go to the storage. */
const MAX_INLINE_BYTES = 1024 * 1024

export async function storeAnswer(
  storage: Storage,
  accountId: string,
  { body, ...known }: Partial<RawAnswer> & Pick<RawAnswer, 'body'>,
): Promise<StoredAnswer> {
  if (typeof body === 'string' && Buffer.byteLength(body) <= MAX_INLINE_BYTES) return { ...known, text: body }
  const binary = typeof body !== 'string'
  const { token } = await storage.keep({
    accountId,
    type: 'application/octet-stream',
    extension: 'bin',
    body: binary ? body : Buffer.from(body),
    served: false,
  })
  return { ...known, file: token, binary }
}

/** Doubling pauses: eight seconds in all. */
const STORE_ATTEMPTS = 6

/** Stores a paid answer, with retries. @throws GenerationError `STORAGE_FAILED`; the signal's reason */
export const storePaidAnswer = (
  storage: Storage,
  accountId: string,
  answer: RawAnswer,
  { signal, firstMs }: { signal: AbortSignal; firstMs: number },
): Promise<StoredAnswer> =>
  pRetry(() => storeAnswer(storage, accountId, answer), {
    retries: STORE_ATTEMPTS - 1,
    minTimeout: firstMs,
    signal,
    shouldRetry: ({ error }) => error instanceof GenerationError && error.of === 'provider',
  })

export async function readAnswerBody(storage: Storage, answer: StoredAnswer): Promise<string | Buffer> {
  if ('text' in answer) return answer.text
  const bytes = await storage.read(answer.file)
  return answer.binary ? bytes : bytes.toString('utf8')
}

export async function readRawAnswer(storage: Storage, answer: StoredAnswer): Promise<RawAnswer> {
  return { provider: '', model: '', ...answer, body: await readAnswerBody(storage, answer) }
}
