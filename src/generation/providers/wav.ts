import { GenerationError, jobFailure } from '../failure.ts'
import type { ProviderAccess } from './access.ts'
import { unreadableAnswer } from './provider-request.ts'
import type { Speech } from './types.ts'

/** Samples a second within which a provider's word for it is believed. */
const SAMPLE_RATE_BOUNDS = { least: 8_000, most: 192_000 }

/** Chunks before the samples that are looked at; files of speech have a handful. */
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

/** Decodes a WAV to one channel. Its lengths are not believed: streaming providers write 0, 0xFFFFFFFF or other untruths. */
export function decodeWav(wav: Buffer): Speech {
  if (wav.length < 12 || !/^(RIFF|RF64)$/.test(id(wav, 0)) || id(wav, 8) !== 'WAVE')
    throw unreadableWav(
      `it does not begin as a WAV file does, but with ${JSON.stringify(wav.toString('latin1', 0, 12))}`,
    )
  let format: Format | undefined
  let at = 12
  for (let chunks = 0; chunks < MAX_CHUNKS && at + 8 <= wav.length; chunks += 1) {
    const [name, size, begin] = [id(wav, at), wav.readUInt32LE(at + 4), at + 8]
    const next = chunkAfter(wav, begin, size)
    if (name === 'data') {
      if (format === undefined) throw unreadableWav('it does not say what its samples are')
      // As many as the header says only where another chunk follows them.
      const samples = wav.subarray(begin, size > 0 && next !== undefined ? begin + size : wav.length)
      return { samples: mixToMono(samples, format), sampleRate: format.sampleRate }
    }
    if (name === 'fmt ') format = formatAt(wav, begin, size)
    at = next ?? wav.length
  }
  throw unreadableWav('it has no samples')
}

/** Decodes bare 16-bit samples. @throws GenerationError `INVALID_OUTPUT` */
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
  if (readerOf(format) === undefined || channels < 1 || channels > 8)
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

/** Samples as 16 bits, by the kind of the format and the bytes of each: of whole numbers, their two upper bytes. */
const sampleReaders: Readonly<Record<string, (view: DataView, at: number) => number>> = {
  // Eight bits have no sign, and silence in the middle.
  [`${PCM}/1`]: (view, at) => (view.getUint8(at) - 128) << 8,
  [`${PCM}/2`]: (view, at) => view.getInt16(at, true),
  [`${PCM}/3`]: (view, at) => view.getInt16(at + 1, true),
  [`${PCM}/4`]: (view, at) => view.getInt16(at + 2, true),
  [`${FLOAT}/4`]: (view, at) =>
    Math.max(-32_768, Math.min(32_767, Math.round(view.getFloat32(at, true) * 32_768))),
}

const readerOf = ({ tag, width }: Format) => sampleReaders[`${tag}/${width}`]

/** As 16 bits of one channel; what is that already is not copied. What is left of a sample that was cut off is dropped. */
function mixToMono(bytes: Buffer, format: Format): Buffer {
  const { channels, width } = format
  const frames = Math.floor(bytes.length / (width * channels))
  const read = readerOf(format)
  if (frames === 0 || read === undefined) throw unreadableWav('it has no samples')
  if (width === 2 && channels === 1) return bytes.subarray(0, frames * 2)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const samples = new Int16Array(frames)
  for (let frame = 0, at = 0; frame < frames; frame += 1) {
    let sum = 0
    for (let channel = 0; channel < channels; channel += 1, at += width) sum += read(view, at)
    samples[frame] = Math.round(sum / channels)
  }
  return Buffer.from(samples.buffer)
}

const unreadableWav = (why: string) =>
  jobFailure('INVALID_OUTPUT', `The speech that the provider sent cannot be read: ${why}.`)

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

/** Samples a second where nothing says how many: what every known provider of bare samples sends. */
const DEFAULT_SAMPLE_RATE = 24_000

/** WAV by its signature, or bare samples. @param type may name rate and channels @throws GenerationError */
export function decodeSpeech(
  access: Pick<ProviderAccess, 'name' | 'model' | 'options'>,
  audio: Buffer,
  type: string,
): Speech {
  if (/^(RIFF|RF64)/.test(audio.toString('latin1', 0, 4))) return decodeWav(audio)
  const compressed =
    /^\s*(?:audio|video)\/(?:x-)?(mpeg|mp3|ogg|opus|aac|flac|mp4|m4a|webm|aiff)/i.exec(type)?.[1] ??
    detectCompressedAudio(audio)
  if (compressed !== undefined)
    throw unreadableAnswer(
      access,
      `it is ${compressed}, where bare samples or WAV were asked for ("audio" of the model)`,
    )
  const [, rate] = /;\s*(?:rate|samplerate)="?(\d{4,6})/i.exec(type) ?? []
  const [, channels = 1] = /;\s*channels="?(\d)/i.exec(type) ?? []
  return decodePcm(audio, Number(rate ?? access.options.sample_rate ?? DEFAULT_SAMPLE_RATE), Number(channels))
}

/** Whether the audio can be read is found out while the provider can still be asked again. */
export function assertDecodable(access: ProviderAccess, audio: Buffer, type: string): void {
  try {
    decodeSpeech(access, audio, type)
  } catch (error) {
    if (error instanceof GenerationError && error.of === 'job') throw unreadableAnswer(access, error.message)
    throw error
  }
}

/** How compressed audio begins. As samples, the bytes of a bare frame would begin with a loud one, and speech does not. */
const fileSignatures = [
  ['MP3', /^(?:ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb])/],
  ['AAC', /^\xff[\xf0\xf1\xf8\xf9]/],
  ['Ogg', /^OggS/],
  ['FLAC', /^fLaC/],
  ['MP4', /^.{4}ftyp/s],
  ['WebM', /^.E\xdf\xa3/s],
  ['AIFF', /^FORM/],
] as const

const TEXT_PROBE_BYTES = 64

function detectCompressedAudio(audio: Buffer): string | undefined {
  const start = audio.toString('latin1', 0, 12)
  return fileSignatures.find(([, signature]) => signature.test(start))?.[0]
}

/** Whether it is words: samples of which every byte is a letter are none that anybody hears. */
export const isText = (audio: Buffer): boolean =>
  /^[\t\n\r -~]+$/.test(audio.toString('latin1', 0, TEXT_PROBE_BYTES))
