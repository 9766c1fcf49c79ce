import { z } from 'zod'
import type { JobKind, RequestByKind } from '../../contract/generation/requests.ts'
import type { GenerationStep } from '../../contract/generation/results.ts'
import type { Warning } from '../../errors.ts'
import { addJob, defineJob, type PayloadSql } from '../../jobs/job.ts'
import type { CallContext, Provider, RawAnswer } from '../providers/types.ts'

/** Works on a job and those stored with it. Adding it again keeps one queued, in its place. */
export const generationJob = defineJob({
  name: 'generate',
  payload: z.object({ jobId: z.guid(), beside: z.int().min(0).default(0) }),
  key: ({ jobId }) => `('generate:' || ${jobId})`,
  keepsPlace: true,
})

/** SQL that queues jobs, named by the first of them. */
export const addGenerationJob = (payload: PayloadSql<(typeof generationJob)['payload']>): string =>
  addJob(generationJob, payload)

export interface JobRow<Kind extends JobKind = JobKind> {
  id: string
  account_id: string
  kind: Kind
  request: RequestByKind[Kind]
  status: GenerationStep
  progress: Partial<Record<GenerationStep, number>>
  fence: number
  crashes: number
  attempts: number
  /** Never begun before this claim. */
  fresh: boolean
  age: number
  /** Whether the account wants a notification for each step of a document. */
  notify_steps: boolean
  /** Calls so far that may have made something, and the cost of the answered ones in micros. */
  calls: number
  micros: number
  /**
   * Calls of earlier claims that may have made something but whose answers were lost: `[step, part,
   * provider, model]`.
   */
  unacknowledged: [string, string, string, string][]
  parts: [string, string][]
}

export const stepsOf = {
  document: ['researching', 'generating', 'images', 'audio'],
  audio: ['generating'],
  image: ['generating'],
} as const satisfies Record<JobKind, readonly GenerationStep[]>

/** A part of a step, with the same name in every attempt: `outline`, `section-3`, `page-2`. */
export interface PartName {
  step: GenerationStep
  name: string
}

/**
 * One claim of a job, as its steps see it. Steps do everything through it, so that nothing is made
 * or paid twice: a step may be repeated from its beginning at any time.
 */
export interface JobRun<Kind extends JobKind = JobKind> {
  readonly id: string
  readonly accountId: string
  readonly kind: Kind
  readonly request: RequestByKind[Kind]
  /** Aborted when the claim is lost or the process stops. */
  readonly signal: AbortSignal
  /** Calls to providers allowed in all. */
  readonly mostCalls: number
  readonly callsLeft: number
  /** Sets the step that the status shows. */
  enter(step: GenerationStep): Promise<void>
  /** Announces `parts` more parts of the step, for `progress`. */
  expect(step: GenerationStep, parts: number): Promise<void>
  /**
   * The answer for this part, from the store or a provider: stores the intent, sends the request,
   * stores the answer. Asks the first candidate not in trouble, and the next after a failure that
   * made nothing.
   *
   * @param candidates of one tier, the preferred first; never empty
   * @throws GalleyError of `failure.ts`
   */
  answer<Candidate extends Provider>(
    part: PartName,
    candidates: readonly Candidate[],
    call: (provider: Candidate, context: CallContext) => Promise<RawAnswer>,
  ): Promise<RawAnswer>
  /**
   * A part that needs no provider, such as a fetched page: from the store, or made and stored. Made
   * again where the process ended meanwhile.
   */
  keep(part: PartName, make: () => Promise<string | Buffer>): Promise<string | Buffer>
  /** A warning shown with the result; the same code and message count once. */
  warn(warning: Warning): void
}
