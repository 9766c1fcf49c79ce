/** To the worker. */
export interface Utterance {
  /** As eSpeak NG names it, with its variant: `en-US+f2`. */
  voice: string
  rate: number
  pitch: number
  ssml: string
}

/** From the worker: the samples, 16 bits each, or why there are none. */
export type EspeakAnswer = { samples: Int16Array<ArrayBuffer>; sampleRate: number } | { failure: string }
