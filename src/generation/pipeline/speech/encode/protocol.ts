import type { AudioFormat } from '../../../../contract/generation/requests.ts'

export interface Encoding {
  format: AudioFormat
  /** Samples a second of what comes out. */
  sampleRate: number
  /** Samples of all pieces together, once they have that rate. */
  samples: number
}

export type EncodeTask =
  /** Another piece begins: so many samples, of so many a second. */
  | { kind: 'begin'; sampleRate: number; samples: number }
  /** The next of them, 16 bits each. */
  | { kind: 'samples'; samples: Int16Array }
  | { kind: 'finish' }

export interface EncodeReply {
  bytes: Uint8Array[]
  /** With the last one: the length of what was encoded, in seconds. */
  seconds?: number
}

/** Encodes samples of one channel, from -1 to 1, as they come. */
export interface Encoder {
  /** @returns what is ready to be kept, perhaps nothing; the samples are the caller's again afterwards */
  encode(samples: Float32Array): Promise<Uint8Array[]>
  /** The rest of it, and how many seconds long the whole is. */
  finish(): Promise<{ bytes: Uint8Array[]; seconds: number }>
}

/** The samples a second that a format has; `any` for every one. */
const supportedSampleRates = {
  mp3: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
  opus: [8_000, 12_000, 16_000, 24_000, 48_000],
  wav: 'any',
} as const

/** The rate at which speech of this rate is encoded: its own, or the next above it that the format has, so that nothing is lost. */
export function encodingRate(format: keyof typeof supportedSampleRates, sampleRate: number): number {
  const known = supportedSampleRates[format]
  if (known === 'any') return sampleRate
  return known.find((rate) => rate >= sampleRate) ?? Math.max(...known)
}
