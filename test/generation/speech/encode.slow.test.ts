import { Decoder } from '@evan/opus'
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny'
import { describe, expect, test } from 'vitest'
import type { AudioFormat } from '../../../src/contract/generation/requests.ts'
import { type Encoder, encodeSpeech } from '../../../src/generation/pipeline/speech/encode/encode.ts'
import { fade, mp3Encoder, opusEncoder } from '../../../src/generation/pipeline/speech/encode/encoders.ts'
import {
  encodingRate,
  resample,
  resampledLength,
} from '../../../src/generation/pipeline/speech/encode/resample.ts'
import type { Speech } from '../../../src/generation/providers/types.ts'
import { decodeWav } from '../../../src/generation/providers/wav.ts'
import { tone } from './rehearsal.ts'

async function encode(format: AudioFormat, pieces: Speech[]) {
  const sampleRate = encodingRate(format, pieces[0]?.sampleRate ?? 0)
  async function* each() {
    yield* pieces
  }
  const samples = pieces.reduce(
    (sum, piece) => sum + resampledLength(piece.samples.length / 2, piece.sampleRate, sampleRate),
    0,
  )
  const { signal } = new AbortController()
  const encoded = encodeSpeech({ format, sampleRate, samples }, each(), signal)
  const parts: Buffer[] = []
  for await (const part of encoded.bytes) parts.push(part)
  return { file: Buffer.concat(parts), seconds: encoded.seconds(), samples, sampleRate }
}

/** The same without the thread, which takes a second to start, and without what it does to the pieces. */
async function encodedBy({ encode, finish }: Encoder, samples: Int16Array) {
  const bytes = await encode(samples)
  const last = await finish()
  return { file: Buffer.concat([...bytes, ...last.bytes]), seconds: last.seconds }
}

/** What another reader of such files says. */
async function readBack(file: Buffer) {
  const input = new Input({ formats: ALL_FORMATS, source: new BufferSource(file) })
  const track = await input.getPrimaryAudioTrack()
  if (track === null) throw new Error('no sound')
  const packets: Uint8Array[] = []
  for await (const packet of new EncodedPacketSink(track).packets()) packets.push(packet.data)
  return {
    mime: (await input.getFormat()).mimeType,
    codec: track.codec,
    channels: track.numberOfChannels,
    sampleRate: track.sampleRate,
    duration: await track.computeDuration(),
    packets,
  }
}

const levels = (samples: Buffer) => new Int16Array(Uint8Array.from(samples).buffer)

describe('each format is read by others as what it is, as long as what was said', () => {
  const pieces = [tone(2.5, 24_000), tone(1.23456, 24_000, 500), tone(0.7, 24_000)]
  const seconds = pieces.reduce((sum, { samples }) => sum + samples.length / 2 / 24_000, 0)

  test('mp3', async () => {
    const { file, seconds: told } = await encode('mp3', pieces)
    const read = await readBack(file)
    expect(read).toMatchObject({ mime: 'audio/mpeg', codec: 'mp3', channels: 1, sampleRate: 24_000 })
    // to a frame of 24 ms, and what an encoder of MP3 puts before and behind
    expect(read.duration).toBeCloseTo(told, 6)
    expect(told - seconds).toBeGreaterThanOrEqual(0)
    expect(told - seconds).toBeLessThan(0.1)
  })

  test('opus, to the sample', async () => {
    const { file, seconds: told } = await encode('opus', pieces)
    const read = await readBack(file)
    expect(read).toMatchObject({ mime: 'application/ogg', codec: 'opus', channels: 1 })
    expect(told).toBe(seconds)
    expect(read.duration).toBeCloseTo(seconds, 6)
  })

  test('wav, to the sample, with a header that is true', async () => {
    const { file, seconds: told } = await encode('wav', pieces)
    expect(await readBack(file)).toMatchObject({ codec: 'pcm-s16', channels: 1, sampleRate: 24_000 })
    expect(told).toBe(seconds)
    expect(file.readUInt32LE(4)).toBe(file.length - 8)
    expect(file.readUInt32LE(40)).toBe(file.length - 44)
    expect(decodeWav(file).samples.length / 2 / 24_000).toBe(seconds)
  })
})

test('what was said is heard, and where it was said: Opus, decoded', async () => {
  const original = new Int16Array(24_000)
  // Many tones at once are like themselves in one place only.
  for (let index = 0; index < original.length; index += 1)
    for (let voice = 0; voice < 20; voice += 1)
      original[index] =
        (original[index] ?? 0) +
        400 * Math.sin((2 * Math.PI * (200 + voice * 137.3) * index) / 24_000 + voice ** 2)
  const { file } = await encodedBy(await opusEncoder(24_000), original)
  const decoder = new Decoder({ channels: 1, sample_rate: 24_000 })
  const { packets } = await readBack(file)
  const heard = levels(Buffer.concat(packets.map((packet) => decoder.decode(packet))))
  const preSkip = file.readUInt16LE(file.indexOf('OpusHead') + 10) / 2
  const likeness = (shift: number) => {
    let [both, said, back] = [0, 0, 0]
    for (let index = 2_000; index < 22_000; index += 1) {
      const [a, b] = [original[index] ?? 0, heard[index + preSkip + shift] ?? 0]
      both += a * b
      said += a * a
      back += b * b
    }
    return both / Math.sqrt(said * back)
  }
  const shifts = Array.from({ length: 401 }, (_, index) => index - 200)
  const best = shifts.reduce((most, shift) => (likeness(shift) > likeness(most) ? shift : most))
  // 0.1 ms: what an encoder for speech keeps is the sound, and not each sample in its place.
  expect(Math.abs(best)).toBeLessThan(3)
  expect(likeness(best)).toBeGreaterThan(0.95)
})

describe('pieces are joined without clicks', () => {
  test('the largest step at a join is 0', async () => {
    // A cosine: each piece begins at its loudest.
    const pieces = [tone(0.5, 24_000), tone(0.503, 24_000, 440), tone(0.2, 22_050, 200), tone(0.001, 24_000)]
    const { file } = await encode('wav', pieces)
    const heard = levels(decodeWav(file).samples)
    let end = 0
    const steps = pieces.map(({ samples, sampleRate }) => {
      end += resampledLength(samples.length / 2, sampleRate, 24_000)
      return Math.abs((heard[end] ?? 0) - (heard[end - 1] ?? 0))
    })
    expect(end).toBe(heard.length)
    expect(Math.max(...steps)).toBe(0)
    // and nothing is louder in its steps than the tones themselves
    const largest = heard.reduce(
      (most, level, index) => Math.max(most, Math.abs(level - (heard[index - 1] ?? 0))),
      0,
    )
    expect(largest).toBeLessThan(12_000 * ((2 * Math.PI * 500) / 24_000))
  })

  test('what lies between the fades is not touched', () => {
    const { samples } = tone(1, 24_000)
    const [heard, original] = [levels(samples), levels(samples)]
    fade(heard, 24_000)
    expect(heard.subarray(120, -120)).toEqual(original.subarray(120, -120))
  })
})

describe('pieces of other rates are brought to the rate of the file', () => {
  /** How strong a frequency is, against a tone of full strength. */
  const strength = (samples: Int16Array, rate: number, hertz: number) => {
    let [real, imaginary] = [0, 0]
    const middle = samples.subarray(2_000, -2_000)
    middle.forEach((level, index) => {
      const angle = (2 * Math.PI * hertz * index) / rate
      real += level * Math.cos(angle)
      imaginary += level * Math.sin(angle)
    })
    return (2 * Math.hypot(real, imaginary)) / middle.length / 12_000
  }
  const resampled = (hertz: number, from: number, to: number) =>
    resample(levels(tone(1, from, hertz).samples), from, to)

  test.each([
    [24_000, 48_000],
    [44_100, 16_000],
    [22_051, 24_000],
  ])('from %d to %d a tone stays what it is', (from, to) => {
    const heard = resampled(1_000, from, to)
    expect(heard.length).toBe(resampledLength(from, from, to))
    expect(strength(heard, to, 1_000)).toBeCloseTo(1, 2)
    const rest = heard.subarray(2_000, -2_000).reduce((sum, level, index) => {
      const there = 12_000 * Math.cos((2 * Math.PI * 1_000 * (index + 2_000)) / to)
      return sum + (level - there) ** 2
    }, 0)
    // noise below -60 dB
    expect(Math.sqrt(rest / (heard.length - 4_000)) / 12_000).toBeLessThan(0.001)
  })

  test('what the lower rate cannot carry does not fold back', () => {
    // 10 kHz at 16,000 samples a second would be heard as 6 kHz.
    const heard = resampled(10_000, 48_000, 16_000)
    expect(strength(heard, 16_000, 6_000)).toBeLessThan(0.001)
  })

  test.each([
    ['mp3', 22_050, 22_050],
    ['opus', 22_050, 24_000],
    ['opus', 44_100, 48_000],
    ['mp3', 96_000, 48_000],
    ['wav', 22_051, 22_051],
  ] as const)('%s of %d samples a second has %d', (format, rate, expected) => {
    expect(encodingRate(format, rate)).toBe(expected)
  })

  test('each version of MP3 is as long as it says', async () => {
    // MPEG 2.5, 2 and 1 have frames of other lengths.
    for (const rate of [11_025, 22_050, 48_000]) {
      const { file, seconds } = await encodedBy(await mp3Encoder(rate), levels(tone(3, rate).samples))
      expect((await readBack(file)).duration, String(rate)).toBeCloseTo(seconds, 3)
    }
  })
})

test('the thread ends when nobody needs the file any more', async () => {
  const going = new AbortController()
  async function* endless() {
    for (;;) yield tone(1, 24_000)
  }
  const encoding = { format: 'mp3', sampleRate: 24_000, samples: 24_000 } as const
  const { bytes } = encodeSpeech(encoding, endless(), going.signal)
  await bytes.next()
  going.abort(new Error('the claim is lost'))
  await expect(bytes.next()).rejects.toThrow('the claim is lost')
})

const readAll = async ({ bytes }: ReturnType<typeof encodeSpeech>) => {
  for await (const _ of bytes);
}

test('a failure to read a piece is passed on as it is', async () => {
  const gone = new Error('the store is gone')
  async function* broken(): AsyncGenerator<Speech> {
    yield tone(1, 24_000)
    throw gone
  }
  const encoding = { format: 'mp3', sampleRate: 24_000, samples: 24_000 } as const
  await expect(readAll(encodeSpeech(encoding, broken(), new AbortController().signal))).rejects.toBe(gone)
})

test('a failure of the thread is that of the job, and the reason is kept', async () => {
  async function* longer() {
    yield tone(2, 24_000)
  }
  const encoding = { format: 'wav', sampleRate: 24_000, samples: 24_000 } as const
  await expect(readAll(encodeSpeech(encoding, longer(), new AbortController().signal))).rejects.toMatchObject(
    {
      reason: 'INVALID_OUTPUT',
      of: 'job',
      cause: { message: '48000 samples came, and 24000 were announced' },
    },
  )
})
