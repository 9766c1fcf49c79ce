import type { AudioFormat } from '../../../../contract/generation/requests.ts'

export interface Encoding {
  format: AudioFormat
  sampleRate: number
  samples: number
}

export type EncodeTask = { samples: Int16Array; sampleRate: number } | 'finish'

export interface EncodeReply {
  bytes: Uint8Array[]
  /** With the last one: the length of what was encoded, in seconds. */
  seconds?: number
}

/** Encodes samples of one channel as they come. */
export interface Encoder {
  /** @returns what is ready to be kept, perhaps nothing, in buffers of its own */
  encode(samples: Int16Array): Promise<Uint8Array[]>
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
