import { z } from 'zod'
import type { JobKind, RequestByKind } from '../../contract/generation/requests.ts'
import type { GenerationStep } from '../../contract/generation/results.ts'
import type { Warning } from '../../errors.ts'
import { addJob, defineJob, type PayloadSql } from '../../jobs/job.ts'
import type { CallContext, Provider, RawAnswer } from '../providers/types.ts'

/**
 * Works on a job of the generation service, and on so many beside it that were stored with it. However often it is added,
 * one waits, and keeps its place in the line.
 */
export const generationJob = defineJob({
  name: 'generate',
  payload: z.object({ jobId: z.guid(), beside: z.int().min(0).default(0) }),
  key: ({ jobId }) => `('generate:' || ${jobId})`,
  keepsPlace: true,
})

/** A call that queues jobs of the generation service, of which it names the first. */
export const addGenerationJob = (payload: PayloadSql<(typeof generationJob)['payload']>): string =>
  addJob(generationJob, payload)

/** A claimed job. */
export interface JobRow<Kind extends JobKind = JobKind> {
  id: string
  account_id: string
  kind: Kind
  request: RequestByKind[Kind]
  /** The step it is at. */
  status: GenerationStep
  progress: Partial<Record<GenerationStep, number>>
  fence: number
  crashes: number
  attempts: number
  /** Nobody had begun it before this claim. */
  fresh: boolean
  /** Seconds since it was asked for. */
  age: number
  /** Its account wants to be told of each step of a document. */
  notify_steps: boolean
  /** Calls so far that may have made something, and what the answered ones cost, in micros. */
  calls: number
  micros: number
  /** Calls of earlier claims that may have made something, and whose answers nobody has: `[step, part, provider, model]`. */
  unacknowledged: [string, string, string, string][]
  /** Parts that are stored: `[step, name]`. */
  parts: [string, string][]
}

/** The steps of each kind of job, in their order. */
export const stepsOf = {
  document: ['researching', 'generating', 'images', 'audio'],
  audio: ['generating'],
  image: ['generating'],
} as const satisfies Record<JobKind, readonly GenerationStep[]>

/** The part of a step that an answer belongs to. Its name is the same in every attempt: `outline`, `section-3`, `page-2`. */
export interface PartName {
  step: GenerationStep
  name: string
}

/**
 * One claim of a job, as the steps see it. All that they do goes through it, so that nothing that was made is made or paid
 * again: a step may be repeated from its beginning at any time.
 */
export interface JobRun<Kind extends JobKind = JobKind> {
  readonly id: string
  readonly accountId: string
  readonly kind: Kind
  readonly request: RequestByKind[Kind]
  /** Aborted when the claim is lost, or the process must end. */
  readonly signal: AbortSignal
  /** Calls to providers that it may have in all. */
  readonly mostCalls: number
  /** Those that are left of them. */
  readonly callsLeft: number
  /** The job is at this step now: what its status says. Nothing where it was there already. */
  enter(step: GenerationStep): Promise<void>
  /** So many parts of the step are there, and of so many this is one: shown as `progress`. */
  expect(step: GenerationStep, parts: number): Promise<void>
  /**
   * The answer to this part, out of the store, or asked for now: the intent is written, then the request leaves, then what
   * came is stored. The first of `candidates` that is not in trouble is asked; the next one after a failure that happened
   * before anything was made.
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
   * A part that asks no provider, such as a page that was fetched: out of the store, or made now and stored. It is made again
   * where the process ended meanwhile.
   */
  keep(part: PartName, make: () => Promise<string | Buffer>): Promise<string | Buffer>
  /** Something that a person should know; told with the result. The same code and message count once. */
  warn(warning: Warning): void
}
