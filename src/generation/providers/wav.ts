import { GenerationError } from '../failure.ts'
import type { Speech } from './types.ts'

/** Samples a second within which a provider's word for it is believed. */
const SAMPLE_RATE_BOUNDS = { least: 8_000, most: 192_000 }

/** Chunks before and after the samples that are looked at; files of speech have a handful. */
const MAX_CHUNKS = 1_000

const HEADER_BYTES = 44

/** The most samples of which the 32 bits of a header can tell. */
export const MAX_WAV_SAMPLES = (0xffff_ffff - HEADER_BYTES - 1) / 2

const PCM = 1
const FLOAT = 3
const EXTENSIBLE = 0xfffe

interface Format {
  tag: number
  channels: number
  sampleRate: number
  /** Bytes of one sample of one channel. */
  width: number
}

/**
 * Decodes a provider's WAV to one channel. Of its header the format and a bounded rate are
 * believed, the lengths not: streaming providers write 0, 0xFFFFFFFF or other untruths. All after
 * the first samples is samples, except recognisable chunks.
 *
 * @throws GenerationError `INVALID_OUTPUT`
 */
export function decodeWav(wav: Buffer): Speech {
  if (wav.length < 12 || !/^(RIFF|RF64)$/.test(id(wav, 0)) || id(wav, 8) !== 'WAVE')
    throw unreadableWav(
      `it does not begin as a WAV file does, but with ${JSON.stringify(wav.toString('latin1', 0, 12))}`,
    )
  let format: Format | undefined
  let at = 12
  for (let chunks = 0; chunks < MAX_CHUNKS && at + 8 <= wav.length; chunks += 1) {
    const [name, size, begin] = [id(wav, at), wav.readUInt32LE(at + 4), at + 8]
    if (name === 'data') {
      if (format === undefined) throw unreadableWav('it does not say what its samples are')
      return { samples: mixToMono(samplesAt(wav, begin, size), format), sampleRate: format.sampleRate }
    }
    if (name === 'fmt ') format = formatAt(wav, begin, size)
    at = chunkAfter(wav, begin, size) ?? wav.length
  }
  throw unreadableWav('it has no samples')
}

/**
 * Decodes bare 16-bit samples.
 *
 * @throws GenerationError `INVALID_OUTPUT`
 */
export function decodePcm(samples: Buffer, sampleRate: number, channels = 1): Speech {
  const format = checked({ tag: PCM, channels, sampleRate, width: 2 })
  return { samples: mixToMono(samples, format), sampleRate }
}

const id = (wav: Buffer, at: number) => wav.toString('latin1', at, at + 4)

function formatAt(wav: Buffer, at: number, size: number): Format {
  if (size < 16 || at + 16 > wav.length) throw unreadableWav('it does not say what its samples are')
  const tag = wav.readUInt16LE(at)
  return checked({
    tag: tag === EXTENSIBLE && size >= 26 && at + 26 <= wav.length ? wav.readUInt16LE(at + 24) : tag,
    channels: wav.readUInt16LE(at + 2),
    sampleRate: wav.readUInt32LE(at + 4),
    width: wav.readUInt16LE(at + 14) / 8,
  })
}

function checked(format: Format): Format {
  const { tag, channels, sampleRate, width } = format
  const known = tag === PCM ? [1, 2, 3, 4].includes(width) : tag === FLOAT && width === 4
  if (!known || channels < 1 || channels > 8)
    throw unreadableWav(
      `its samples are of a kind that Galley does not read (${tag}, ${width} bytes, ${channels} channels)`,
    )
  if (!(sampleRate >= SAMPLE_RATE_BOUNDS.least && sampleRate <= SAMPLE_RATE_BOUNDS.most))
    throw unreadableWav(`${sampleRate} samples a second are not what speech has`)
  return format
}

/** Where the chunk after this one begins, the odd ones with the byte that fills them up or without; undefined where none does. */
function chunkAfter(wav: Buffer, begin: number, size: number): number | undefined {
  return [begin + size + (size % 2), begin + size].find((next) => isChunk(wav, next))
}

/** Whether a chunk can begin here: a name in letters, and a size for which there is room. */
function isChunk(wav: Buffer, at: number): boolean {
  if (at + 8 > wav.length || !/^[A-Za-z][A-Za-z0-9 _-]{3}$/.test(id(wav, at))) return false
  return id(wav, at) === 'data' || at + 8 + wav.readUInt32LE(at + 4) <= wav.length
}

/** The bytes of the samples: as many as the header says only where the file ends there, or goes on with chunks to its end. */
function samplesAt(wav: Buffer, begin: number, size: number): Buffer {
  const all = wav.subarray(begin)
  if (size === 0 || size >= all.length) return all
  let next = chunkAfter(wav, begin, size)
  for (let chunks = 0; chunks < MAX_CHUNKS && next !== undefined; chunks += 1) {
    const end = next + 8 + wav.readUInt32LE(next + 4)
    if (wav.length - end <= 1) return all.subarray(0, size)
    next = chunkAfter(wav, next + 8, wav.readUInt32LE(next + 4))
  }
  return all
}

/** As 16 bits of one channel; what is that already is not copied. What is left of a sample that was cut off is dropped. */
function mixToMono(bytes: Buffer, { tag, channels, width }: Format): Buffer {
  const frames = Math.floor(bytes.length / (width * channels))
  if (frames === 0) throw unreadableWav('it has no samples')
  if (width === 2 && channels === 1) return bytes.subarray(0, frames * 2)
  const levels = tag === FLOAT ? floatsTo16Bit(bytes) : integersTo16Bit(bytes, width)
  const samples = Buffer.allocUnsafe(frames * 2)
  for (let frame = 0, at = 0; frame < frames; frame += 1) {
    let sum = 0
    for (let channel = 0; channel < channels; channel += 1, at += 1) sum += levels[at] as number
    const level = Math.round(sum / channels)
    // `writeInt16LE` takes ten times as long: 28 MiB of speech would stop everybody for seconds.
    samples[frame * 2] = level
    samples[frame * 2 + 1] = level >> 8
  }
  return samples
}

/** Whole numbers of any width as ones of 16 bits: their two upper bytes. */
function integersTo16Bit(bytes: Buffer, width: number): Int16Array {
  const levels = new Int16Array(Math.floor(bytes.length / width))
  if (width === 1)
    // Eight bits have no sign, and silence in the middle.
    for (let at = 0; at < levels.length; at += 1) levels[at] = ((bytes[at] as number) - 128) << 8
  else
    for (let at = 0, upper = width - 1; at < levels.length; at += 1, upper += width)
      levels[at] = ((bytes[upper] as number) << 8) | (bytes[upper - 1] as number)
  return levels
}

function floatsTo16Bit(bytes: Buffer): Int16Array {
  const levels = new Int16Array(Math.floor(bytes.length / 4))
  const floats = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  for (let at = 0; at < levels.length; at += 1) {
    const level = Math.round(floats.getFloat32(at * 4, true) * 32_768)
    levels[at] = level >= 32_767 ? 32_767 : level > -32_768 ? level : level <= -32_768 ? -32_768 : 0
  }
  return levels
}

const unreadableWav = (why: string) =>
  new GenerationError({
    reason: 'INVALID_OUTPUT',
    of: 'job',
    message: `The speech that the provider sent cannot be read: ${why}.`,
  })

/** What stands before samples of 16 bits and one channel, {@link MAX_WAV_SAMPLES} at most. */
export function wavHeader(sampleRate: number, samples: number): Buffer {
  const bytes = samples * 2
  const head = Buffer.alloc(HEADER_BYTES)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(HEADER_BYTES - 8 + bytes, 4)
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
