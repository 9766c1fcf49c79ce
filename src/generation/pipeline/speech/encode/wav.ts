import { wavHeader } from '../../../providers/wav.ts'
import type { Encoder } from './encoder.ts'

/**
 * WAV of 16 bits and one channel.
 *
 * @param samples how many there will be, at most what a header can tell: it says so, and a stream cannot go back to it
 */
export function wavEncoder(sampleRate: number, samples: number): Encoder {
  let ready = [wavHeader(sampleRate, samples)]
  let encoded = 0
  return {
    encode: async (levels) => {
      const block = new Int16Array(levels.length)
      for (let index = 0; index < levels.length; index += 1) block[index] = level(levels[index] ?? 0)
      encoded += levels.length
      const out = [...ready, new Uint8Array(block.buffer)]
      ready = []
      return out
    },
    finish: async () => {
      if (encoded !== samples) throw new Error(`${encoded} samples came, and ${samples} were announced`)
      return { bytes: ready, seconds: encoded / sampleRate }
    },
  }
}

const level = (value: number) => Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768)))
