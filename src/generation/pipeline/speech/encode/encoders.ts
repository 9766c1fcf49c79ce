import { Encoder as Libopus } from '@evan/opus/wasm/index.js'
import { EncodedAudioPacketSource, EncodedPacket, NullTarget, OggOutputFormat, Output } from 'mediabunny'
import { createMp3Encoder } from 'wasm-media-encoders'
import { wavHeader } from '../../../providers/wav.ts'
import type { Encoder } from './encode.ts'

/** Samples of a frame: as MPEG-1 has it, and the lower rates of MPEG-2 and 2.5. */
const mp3FrameLength = (sampleRate: number) => (sampleRate >= 32_000 ? 1_152 : 576)

/** kbit/s in which speech of one channel sounds as it came. */
const mp3Bitrate = (sampleRate: number) => (sampleRate >= 32_000 ? 96 : sampleRate >= 16_000 ? 64 : 32)

/** MP3 of a constant bit rate: its size tells its length, which a stream cannot go back to write. */
export async function mp3Encoder(sampleRate: number): Promise<Encoder> {
  const encoder = await createMp3Encoder()
  encoder.configure({
    channels: 1,
    sampleRate,
    outputSampleRate: sampleRate as 24_000,
    bitrate: mp3Bitrate(sampleRate) as 64,
  })
  let bytes = 0
  // What it returns is its own memory, written over by the next call.
  const kept = (encoded: Uint8Array): Uint8Array[] => {
    bytes += encoded.length
    return encoded.length === 0 ? [] : [encoded.slice()]
  }
  return {
    encode: async (samples) =>
      kept(encoder.encode([Float32Array.from(samples, (sample) => sample / 32_768)])),
    finish: async () => {
      const rest = kept(encoder.finalize())
      const frame = (mp3FrameLength(sampleRate) * mp3Bitrate(sampleRate) * 1_000) / 8 / sampleRate
      return { bytes: rest, seconds: (Math.round(bytes / frame) * mp3FrameLength(sampleRate)) / sampleRate }
    },
  }
}

/** Requests to libopus, by their numbers in opus_defines.h. */
const SET_BITRATE = 4002
const SET_SIGNAL = 4024
const GET_LOOKAHEAD = 4027
const SIGNAL_VOICE = 3001

/** Ogg Opus counts in these, whatever was encoded. */
const GRANULES_PER_SECOND = 48_000

const PACKETS_PER_SECOND = 50

/** Ogg Opus, exact to the sample: players skip the delay (`pre-skip`), and the last page gives the end. */
export async function opusEncoder(sampleRate: number): Promise<Encoder> {
  const opus = new Libopus({ channels: 1, sample_rate: sampleRate, application: 'audio' })
  opus.ctl(SET_SIGNAL, SIGNAL_VOICE)
  opus.ctl(SET_BITRATE, sampleRate > 24_000 ? 48_000 : 32_000)
  const granules = GRANULES_PER_SECOND / sampleRate
  const preSkip = opus.ctl(GET_LOOKAHEAD) * granules

  let pages: Uint8Array[] = []
  const format = new OggOutputFormat({ onPage: (page) => void pages.push(page.slice()) })
  const output = new Output({ format, target: new NullTarget() })
  const source = new EncodedAudioPacketSource('opus')
  output.addAudioTrack(source)
  output.setMetadataTags({})
  await output.start()

  const decoderConfig = {
    codec: 'opus',
    numberOfChannels: 1,
    sampleRate: GRANULES_PER_SECOND,
    description: opusHead(preSkip, sampleRate),
  }
  const packet = new Int16Array(sampleRate / PACKETS_PER_SECOND)
  const packetGranules = GRANULES_PER_SECOND / PACKETS_PER_SECOND
  let [filled, packets, samples] = [0, 0, 0]

  /** @param length granules of it that are sound */
  const send = async (length: number) => {
    const [begin, seconds] = [(packets * packetGranules) / GRANULES_PER_SECOND, length / GRANULES_PER_SECOND]
    await source.add(new EncodedPacket(opus.encode(packet), 'key', begin, seconds), { decoderConfig })
    packets += 1
    filled = 0
  }
  const taken = () => {
    const ready = pages
    pages = []
    return ready
  }

  return {
    encode: async (piece) => {
      for (let at = 0; at < piece.length; ) {
        const part = piece.subarray(at, at + packet.length - filled)
        packet.set(part, filled)
        filled += part.length
        at += part.length
        if (filled === packet.length) await send(packetGranules)
      }
      samples += piece.length
      return taken()
    },
    finish: async () => {
      const end = preSkip + samples * granules
      // What is still in the encoder comes out with silence behind it.
      while (packets * packetGranules < end) {
        packet.fill(0, filled)
        await send(Math.min(packetGranules, end - packets * packetGranules))
      }
      await output.finalize()
      opus.drop()
      return { bytes: taken(), seconds: samples / sampleRate }
    },
  }
}

/** The header of RFC 7845, section 5.1: one channel, no gain. */
function opusHead(preSkip: number, sampleRate: number): Uint8Array {
  const head = Buffer.alloc(19)
  head.write('OpusHead', 0, 'latin1')
  head.writeUInt8(1, 8)
  head.writeUInt8(1, 9)
  head.writeUInt16LE(preSkip, 10)
  head.writeUInt32LE(sampleRate, 12)
  return head
}

/** WAV of 16 bits and one channel. @param samples how many there will be: the header comes first */
export function wavEncoder(sampleRate: number, samples: number): Encoder {
  let ready = [wavHeader(sampleRate, samples)]
  let encoded = 0
  return {
    encode: async (piece) => {
      encoded += piece.length
      const out = [...ready, new Uint8Array(piece.slice().buffer)]
      ready = []
      return out
    },
    finish: async () => {
      if (encoded !== samples) throw new Error(`${encoded} samples came, and ${samples} were announced`)
      return { bytes: ready, seconds: encoded / sampleRate }
    },
  }
}

/** Seconds in which a piece of speech comes out of silence, and goes back into it. */
const FADE_SECONDS = 0.005

/** Fades both ends of a piece in place, so that pieces join cleanly. */
export function fade(samples: Int16Array, sampleRate: number): void {
  const length = Math.round(sampleRate * FADE_SECONDS)
  const last = samples.length - 1
  for (let edge = 0; edge < length && edge <= last / 2; edge += 1)
    for (const index of new Set([edge, last - edge])) samples[index] = ((samples[index] ?? 0) * edge) / length
}
