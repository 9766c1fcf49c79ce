import { z } from 'zod'
import type { JobKind, RequestByKind } from '../../contract/generation/requests.ts'
import type { GenerationStep } from '../../contract/generation/results.ts'
import { addJob, defineJob, type PayloadSql } from '../../jobs/job.ts'
import type { LeasedTable } from '../../jobs/leased-work.ts'
import type { RatedWarning } from '../../warnings.ts'

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
  /** Seconds without a new part in which the provider that it waits for is in trouble; 0 where that is only busy. */
  stalled: number
  /** The result of a document that was resumed. */
  earlier: { warnings?: RatedWarning[] } | null
  notify_steps: boolean
  /** Calls so far that may have made something, and the cost of the answered ones in micros. */
  calls: number
  micros: number
  /** Earlier calls whose answers were lost, and may have been charged: `[step, part, provider, model]`. */
  unacknowledged: [string, string, string, string][]
  parts: [string, string][]
}

export const stepsOf = {
  document: ['researching', 'generating', 'images', 'audio'],
  audio: ['generating'],
  image: ['generating'],
} as const satisfies Record<JobKind, readonly GenerationStep[]>

/** Parts of a picture: the answer of its provider, and the file. */
export const PARTS_PER_PICTURE = 2

/** Steps that a document can do without, and that are made again when it is resumed. */
export const resumableSteps: readonly GenerationStep[] = ['images', 'audio']

/** Ends the name of a part that says why something was left out. */
export const LEFT_OUT = '-left-out'

/** A part of a step, with the same name in every attempt: `outline`, `section-3`, `page-2`. */
export interface PartName {
  step: GenerationStep
  name: string
}

/** Claimed jobs. A death of the process is counted, unless a part was stored meanwhile: it may have been the job's doing. */
export const jobLeases: LeasedTable = {
  table: 'generation_job',
  isHeld: 'w.leased_by IS NOT NULL',
  lockOrder: 'w.id',
  expires: 'due_at',
  free: 'due_at = now()',
  takeOver: { sets: 'due_at = now(), crashes = w.crashes + a.died::int' },
}

/** Attempts in a row that made no part, after which a job fails. */
export const MAX_ATTEMPTS = 4

/** Crashes after which a job fails: the last one ran alone. */
export const MAX_CRASHES = 3

/** Characters; what is longer is stored alone, so that small writes need not wait. */
export const BATCHED_BELOW_CHARACTERS = 64 * 1024
