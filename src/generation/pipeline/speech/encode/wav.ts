import type { Encoder } from './encoder.ts'

const HEADER = 44

/** The most samples of which the 32 bits of a header can tell. */
export const MOST_SAMPLES = (0xffff_ffff - HEADER - 1) / 2

/**
 * WAV of 16 bits and one channel.
 *
 * @param samples how many there will be, {@link MOST_SAMPLES} at most: the header says it, and a stream cannot go back to it
 */
export function wavEncoder(sampleRate: number, samples: number): Encoder {
  let ready = [header(sampleRate, samples * 2)]
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

function header(sampleRate: number, bytes: number): Uint8Array {
  const head = Buffer.alloc(HEADER)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(HEADER - 8 + bytes, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  // PCM, one channel
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(sampleRate, 24)
  head.writeUInt32LE(sampleRate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(bytes, 40)
  return head
}
