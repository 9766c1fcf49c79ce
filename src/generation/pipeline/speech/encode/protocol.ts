import type { AudioFormat } from '../../../../contract/generation/choices.ts'

/** What is to come of the samples. */
export interface Encoding {
  format: AudioFormat
  /** Samples a second of what comes out. */
  sampleRate: number
  /** Samples of all pieces together, once they have that rate. */
  samples: number
}

/** To the worker, one at a time. */
export type Task =
  /** Another piece begins: so many samples, of so many a second. */
  | { kind: 'begin'; sampleRate: number; samples: number }
  /** The next of them, 16 bits each. */
  | { kind: 'samples'; samples: Int16Array }
  | { kind: 'finish' }

/** From the worker, one for each task. */
export interface Reply {
  bytes: Uint8Array[]
  /** With the last one: the length of what was encoded, in seconds. */
  seconds?: number
}
