const [CROSSINGS, STEPS, BETA] = [24, 256, 8]

/** Of the frequencies that both rates have, the part that passes: the rest is where the low-pass falls. */
const PASSES = 0.94

/** How many samples become of so many. */
export const resampledLength = (samples: number, from: number, to: number) =>
  Math.floor((samples * to) / from)

/** Gives samples that come bit by bit another rate. */
export interface Resampler {
  /** @returns those that can be told by now; all of them once the last has come */
  push(samples: Float32Array): Float32Array
}

/**
 * Band-limited interpolation with a windowed sinc: frequencies that the lower rate cannot carry are
 * filtered out first, to avoid aliasing. Silence surrounds the samples.
 *
 * @param total samples to come
 */
export function createResampler(from: number, to: number, total: number): Resampler {
  if (from === to) return { push: (samples) => samples }
  const scale = Math.min(1, to / from) * PASSES
  /** Samples on either side that one is made of. */
  const reach = CROSSINGS / scale
  const count = resampledLength(total, from, to)
  let held = new Float32Array()
  /** The number of the first sample held. */
  let first = 0
  /** How many have come, and how many were given. */
  let [come, given] = [0, 0]

  const at = (position: number): number => {
    let sum = 0
    const end = Math.min(Math.floor(position + reach), total - 1)
    for (let index = Math.max(0, Math.ceil(position - reach)); index <= end; index += 1)
      sum += (held[index - first] ?? 0) * lowPass(Math.abs(index - position) * scale)
    return sum * scale
  }

  return {
    push: (samples) => {
      const joined = new Float32Array(held.length + samples.length)
      joined.set(held)
      joined.set(samples, held.length)
      held = joined
      come += samples.length
      const known = come >= total ? count : Math.max(given, Math.floor(((come - 1 - reach) * to) / from))
      const out = new Float32Array(Math.min(known, count) - given)
      for (let index = 0; index < out.length; index += 1) out[index] = at(((given + index) * from) / to)
      given += out.length
      const needed = Math.max(first, Math.floor((given * from) / to - reach))
      held = held.slice(needed - first)
      first = needed
      return out
    },
  }
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
