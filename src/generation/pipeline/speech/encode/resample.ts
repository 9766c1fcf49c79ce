/** The samples a second that a format has; `any` for every one. */
const supportedSampleRates = {
  mp3: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
  opus: [8_000, 12_000, 16_000, 24_000, 48_000],
  wav: 'any',
} as const

/** The rate at which speech of this rate is encoded: its own, or the next above it that the format has, so that nothing is lost. */
export function encodingRate(format: keyof typeof supportedSampleRates, sampleRate: number): number {
  const known = supportedSampleRates[format]
  if (known === 'any') return sampleRate
  return known.find((rate) => rate >= sampleRate) ?? Math.max(...known)
}

const [CROSSINGS, STEPS, BETA] = [24, 256, 8]

/** Of the frequencies that both rates have, the part that passes: the rest is where the low-pass falls. */
const PASSES = 0.94

export const resampledLength = (samples: number, from: number, to: number) =>
  Math.floor((samples * to) / from)

/** Windowed sinc: filters out what the lower rate cannot carry. */
export function resample(samples: Int16Array, from: number, to: number): Int16Array {
  if (from === to) return samples
  const scale = Math.min(1, to / from) * PASSES
  /** Samples on either side that one is made of. */
  const reach = CROSSINGS / scale
  const resampled = new Int16Array(resampledLength(samples.length, from, to))
  for (let at = 0; at < resampled.length; at += 1) {
    const position = (at * from) / to
    const end = Math.min(Math.floor(position + reach), samples.length - 1)
    let sum = 0
    for (let index = Math.max(0, Math.ceil(position - reach)); index <= end; index += 1)
      sum += (samples[index] ?? 0) * lowPass(Math.abs(index - position) * scale)
    resampled[at] = Math.max(-32_768, Math.min(32_767, Math.round(sum * scale)))
  }
  return resampled
}

/** The right half of the low-pass: sinc in a Kaiser window. */
const table = Float64Array.from({ length: CROSSINGS * STEPS + 2 }, (_, step) => {
  const x = step / STEPS
  const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
  const inside = Math.max(0, 1 - (x / CROSSINGS) ** 2)
  return (sinc * bessel(BETA * Math.sqrt(inside))) / bessel(BETA)
})

function lowPass(x: number): number {
  const place = x * STEPS
  const step = Math.floor(place)
  const [left, right] = [table[step] ?? 0, table[step + 1] ?? 0]
  return left + (right - left) * (place - step)
}

/** The modified Bessel function of order zero, by its series. */
function bessel(x: number): number {
  let [sum, term] = [1, 1]
  for (let index = 1; term > sum * 1e-12; index += 1) {
    term *= (x / (2 * index)) ** 2
    sum += term
  }
  return sum
}
