import { createMp3Encoder } from 'wasm-media-encoders'
import type { Encoder } from './encoder.ts'

/** Samples of a frame: as MPEG-1 has it, and the lower rates of MPEG-2 and 2.5. */
const frameLength = (sampleRate: number) => (sampleRate >= 32_000 ? 1_152 : 576)

/** kbit/s in which speech of one channel sounds as it came. */
const bitrate = (sampleRate: number) => (sampleRate >= 32_000 ? 96 : sampleRate >= 16_000 ? 64 : 32)

/**
 * MP3 of a constant bit rate: a stream cannot go back to write how long it became, and of a constant one every player
 * knows from its size.
 */
export async function mp3Encoder(sampleRate: number): Promise<Encoder> {
  const encoder = await createMp3Encoder()
  encoder.configure({
    channels: 1,
    sampleRate,
    outputSampleRate: sampleRate as 24_000,
    bitrate: bitrate(sampleRate) as 64,
  })
  let bytes = 0
  // What it returns is its own memory, written over by the next call.
  const kept = (encoded: Uint8Array): Uint8Array[] => {
    bytes += encoded.length
    return encoded.length === 0 ? [] : [encoded.slice()]
  }
  return {
    encode: async (samples) => kept(encoder.encode([samples])),
    finish: async () => {
      const rest = kept(encoder.finalize())
      const frame = (frameLength(sampleRate) * bitrate(sampleRate) * 1_000) / 8 / sampleRate
      return { bytes: rest, seconds: (Math.round(bytes / frame) * frameLength(sampleRate)) / sampleRate }
    },
  }
}
