import { GenerationError } from '../failure.ts'
import type { Access } from './access.ts'
import { compressedBy } from './container.ts'
import { unreadable } from './exchange.ts'
import type { Speech } from './types.ts'
import { speechOfPcm, speechOfWav } from './wav.ts'

/** Samples a second where nothing says how many: what every known provider of bare samples sends. */
const USUAL_RATE = 24_000

/**
 * Samples out of audio as a provider sent it: WAV by how it begins, or bare ones of 16 bits.
 *
 * @param type its MIME type, which may name the rate and the channels: `audio/L16;codec=pcm;rate=24000`
 * @throws GenerationError
 */
export function readSpeech(
  access: Pick<Access, 'name' | 'model' | 'options'>,
  audio: Buffer,
  type: string,
): Speech {
  if (/^(RIFF|RF64)/.test(audio.toString('latin1', 0, 4))) return speechOfWav(audio)
  const compressed =
    /^\s*(?:audio|video)\/(?:x-)?(mpeg|mp3|ogg|opus|aac|flac|mp4|m4a|webm|aiff)/i.exec(type)?.[1] ??
    compressedBy(audio)
  if (compressed !== undefined)
    throw unreadable(
      access,
      `it is ${compressed}, where bare samples or WAV were asked for ("audio" of the model)`,
    )
  const [, rate] = /;\s*(?:rate|samplerate)="?(\d{4,6})/i.exec(type) ?? []
  const [, channels = 1] = /;\s*channels="?(\d)/i.exec(type) ?? []
  return speechOfPcm(audio, Number(rate ?? access.options.sample_rate ?? USUAL_RATE), Number(channels))
}

/** Whether the audio can be read is found out while the provider can still be asked again. */
export function checkSpeech(access: Access, audio: Buffer, type: string): void {
  try {
    readSpeech(access, audio, type)
  } catch (error) {
    if (error instanceof GenerationError && error.of === 'job') throw unreadable(access, error.message)
    throw error
  }
}
