import { GenerationError } from '../failure.ts'
import type { ProviderAccess } from './access.ts'
import { unreadableAnswer } from './provider-request.ts'
import type { Speech } from './types.ts'
import { decodePcm, decodeWav } from './wav.ts'

/** Samples a second where nothing says how many: what every known provider of bare samples sends. */
const DEFAULT_SAMPLE_RATE = 24_000

/**
 * Decodes a provider's audio: WAV by its signature, or bare 16-bit samples.
 *
 * @param type MIME type, which may name rate and channels: `audio/L16;codec=pcm;rate=24000`
 * @throws GenerationError
 */
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

/** How files of compressed audio begin, from which byte on. */
const fileSignatures = [
  ['MP3', 0, 'ID3'],
  ['Ogg', 0, 'OggS'],
  ['FLAC', 0, 'fLaC'],
  ['MP4', 4, 'ftyp'],
  ['WebM', 0, '\x1a\x45\xdf\xa3'],
  ['AIFF', 0, 'FORM'],
] as const

/** Thousands of bits a second of MP3 by the number in a frame, of MPEG 1 and of the later ones. */
const RATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const RATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
/** Samples a second of MPEG 1; the later ones have a half and a quarter of them. */
const SAMPLE_RATES = [44_100, 48_000, 32_000]

/** Frames that follow each other, by which MP3 and AAC are known: two bytes alone may be a sample. */
const CONSECUTIVE_FRAMES = 3

/** Bytes that are looked at for whether an answer is words. */
const TEXT_PROBE_BYTES = 64

/** Which compressed audio this is, by how it begins; undefined for what may be bare samples. */
function detectCompressedAudio(audio: Buffer): string | undefined {
  const start = audio.toString('latin1', 0, 12)
  const known = fileSignatures.find(([, at, mark]) => start.startsWith(mark, at))
  if (known) return known[0]
  let at = 0
  for (let frame = 0; frame < CONSECUTIVE_FRAMES; frame += 1) {
    const length = frameAt(audio, at)
    if (length === undefined) return undefined
    at += length
  }
  return ((audio[1] ?? 0) & 6) === 0 ? 'AAC' : 'MP3'
}

/** Whether it is words: samples of which every byte is a letter are none that anybody hears. */
export const isText = (audio: Buffer): boolean =>
  /^[\t\n\r -~]+$/.test(audio.toString('latin1', 0, TEXT_PROBE_BYTES))

/** The length of the frame of MP3 or of AAC that begins here; undefined where none does. */
function frameAt(audio: Buffer, at: number): number | undefined {
  if (at + 6 > audio.length) return undefined
  const head = audio.readUInt32BE(at)
  if (head >>> 21 !== 0x7ff) return undefined
  const [version, layer] = [(head >>> 19) & 3, (head >>> 17) & 3]
  if (layer === 0 && version >= 2) return ((head & 3) << 11) | (audio.readUInt16BE(at + 4) >>> 5) || undefined
  const kbits = (version === 3 ? RATES_1 : RATES_2)[(head >>> 12) & 15]
  const samples = SAMPLE_RATES[(head >>> 10) & 3]
  if (layer !== 1 || version === 1 || !kbits || !samples) return undefined
  const rate = samples / { 3: 1, 2: 2, 0: 4 }[version as 0 | 2 | 3]
  return Math.floor(((version === 3 ? 144 : 72) * kbits * 1000) / rate) + ((head >>> 9) & 1)
}
