/** Medians over the rounds. The ratio is taken round by round, so that a slow minute of the machine hits both. */
export interface Compared {
  baseline: number
  measured: number
  ratio: number
}

/** Measures the baseline and the subject `rounds` times; each is first in every second round. */
export async function compare(
  rounds: number,
  baseline: () => Promise<number>,
  subject: () => Promise<number>,
): Promise<Compared> {
  const taken = await interleave(rounds, { baseline, subject })
  return compareMedians(taken.subject, taken.baseline)
}

/**
 * Measures each of several things `rounds` times, in turn; each round begins with the next of them.
 *
 * @returns what each measured, by name, round by round
 */
export async function interleave<Name extends string, Measured>(
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

/** Two things measured in turn, compared. */
export const compareMedians = (measured: readonly number[], baseline: readonly number[]): Compared => ({
  measured: median(measured),
  baseline: median(baseline),
  ratio: median(measured.map((value, round) => value / (baseline[round] as number))),
})

/** The value below which the share `p` (0 to 1) of the values lie; nearest rank. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const value = sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)]
  if (value === undefined)
    throw new Error('There is no percentile of an empty list: the benchmark measured nothing')
  return value
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)
