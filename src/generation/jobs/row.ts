import type { JobKind, Requests } from '../../contract/generation/requests.ts'
import type { Step } from '../../contract/generation/results.ts'

/** A claimed job. */
export interface JobRow<Kind extends JobKind = JobKind> {
  id: string
  account_id: string
  kind: Kind
  request: Requests[Kind]
  /** The step it is at. */
  status: Step
  progress: Partial<Record<Step, number>>
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
} as const satisfies Record<JobKind, readonly Step[]>
