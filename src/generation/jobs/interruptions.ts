import type { GenerationError } from '../failure.ts'

/** Somebody else has claimed the job since: this worker's word no longer counts. */
export class FencedOff extends Error {
  constructor(jobId: string) {
    super(`job ${jobId} was claimed by another worker`)
    this.name = 'FencedOff'
  }
}

/** What failed is the job's own doing, or Galley's: the attempt counts, and after the last one this is how it ends. */
export class Blamed extends Error {
  readonly failure: GenerationError

  constructor(failure: GenerationError) {
    super(failure.message, { cause: failure })
    this.name = 'Blamed'
    this.failure = failure
  }
}

/** Where a job goes that is given back before its end. */
export interface Pause {
  /** The provider whose pause or whose full places it waits for; empty where it waits for none. */
  waitsFor: string
  /** Milliseconds before which nobody takes it; undefined for its old place in the line. */
  inMs?: number | undefined
  /** All that could answer it are in trouble; one that only has to wait its turn is in none. */
  trouble?: boolean
}

/** The job cannot go on now, at no fault of its own: it is given back, and goes on from what is stored. */
export class Paused extends Error {
  readonly pause: Pause

  constructor(pause: Pause) {
    super('the job is given back')
    this.name = 'Paused'
    this.pause = pause
  }
}
