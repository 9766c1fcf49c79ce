/** To the worker. */
export interface Utterance {
  id: number
  /** As eSpeak NG names it, with its variant: `en-US+f2`. */
  voice: string
  rate: number
  pitch: number
  ssml: string
}

/** From the worker: the samples, 16 bits each, or why there are none. */
export type Heard =
  | { id: number; samples: Int16Array<ArrayBuffer>; sampleRate: number }
  | { id: number; failure: string }
