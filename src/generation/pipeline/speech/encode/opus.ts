import { Encoder as Libopus } from '@evan/opus/wasm/index.js'
import { EncodedAudioPacketSource, EncodedPacket, NullTarget, OggOutputFormat, Output } from 'mediabunny'
import type { Encoder } from './encoder.ts'

/** Requests to libopus, by their numbers in opus_defines.h. */
const SET_BITRATE = 4002
const SET_SIGNAL = 4024
const GET_LOOKAHEAD = 4027
const SIGNAL_VOICE = 3001

/** Ogg Opus counts in these, whatever was encoded. */
const GRANULES = 48_000

/** Packets a second. */
const PACKETS = 50

/**
 * Ogg Opus. What the encoder needs to begin is skipped by who plays it (`pre-skip`), and the last page says where the
 * sound ends within the last packet, so that it is as long as what was encoded, to the sample.
 *
 * @param sampleRate one of those that Opus has
 */
export async function opusEncoder(sampleRate: number): Promise<Encoder> {
  const opus = new Libopus({ channels: 1, sample_rate: sampleRate, application: 'audio' })
  opus.ctl(SET_SIGNAL, SIGNAL_VOICE)
  opus.ctl(SET_BITRATE, sampleRate > 24_000 ? 48_000 : 32_000)
  const granules = GRANULES / sampleRate
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
    sampleRate: GRANULES,
    description: identification(preSkip, sampleRate),
  }
  const packet = new Int16Array(sampleRate / PACKETS)
  const packetGranules = GRANULES / PACKETS
  let [filled, packets, samples] = [0, 0, 0]

  /** @param length granules of it that are sound */
  const send = async (length: number) => {
    const [begin, seconds] = [(packets * packetGranules) / GRANULES, length / GRANULES]
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
    encode: async (levels) => {
      for (const level of levels) {
        packet[filled] = Math.max(-32_768, Math.min(32_767, Math.round(level * 32_768)))
        filled += 1
        if (filled === packet.length) await send(packetGranules)
      }
      samples += levels.length
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
function identification(preSkip: number, sampleRate: number): Uint8Array {
  const head = Buffer.alloc(19)
  head.write('OpusHead', 0, 'latin1')
  head.writeUInt8(1, 8)
  head.writeUInt8(1, 9)
  head.writeUInt16LE(preSkip, 10)
  head.writeUInt32LE(sampleRate, 12)
  return head
}
