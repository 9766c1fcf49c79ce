/** Medians over the rounds. The ratio is taken round by round, so that a slow minute of the machine hits both. */
export interface Compared {
  baseline: number
  measured: number
  ratio: number
}

/** Measures the baseline and the subject `rounds` times, each first in every second round. */
export async function compare(
  rounds: number,
  baseline: () => Promise<number>,
  subject: () => Promise<number>,
): Promise<Compared> {
  const taken = await inTurn(rounds, { baseline, subject })
  return beside(taken.subject, taken.baseline)
}

/**
 * Measures each of several things `rounds` times, in turn; each round begins with the next of them.
 *
 * @returns what each measured, by name, round by round
 */
export async function inTurn<Name extends string, Measured>(
  rounds: number,
  things: Record<Name, () => Promise<Measured>>,
): Promise<Record<Name, Measured[]>> {
  const names = Object.keys(things) as Name[]
  const taken = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Measured[]>
  for (let round = 0; round < rounds; round += 1) {
    const first = round % names.length
    for (const name of [...names.slice(first), ...names.slice(0, first)])
      taken[name].push(await things[name]())
  }
  return taken
}

/** What two things measured in turn come to. */
export const beside = (measured: readonly number[], baseline: readonly number[]): Compared => ({
  measured: median(measured),
  baseline: median(baseline),
  ratio: median(measured.map((value, round) => value / (baseline[round] as number))),
})

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
