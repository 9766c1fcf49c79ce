/** The value below which the share `p` (0 to 1) of the values lie; nearest rank. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const value = sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)]
  if (value === undefined)
    throw new Error('There is no percentile of nothing: the benchmark measured nothing')
  return value
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

/** A deterministic generator of numbers in [0, 1): mulberry32, so that two runs draw the same. */
export function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
