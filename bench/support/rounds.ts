import { median } from './statistics.ts'

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
  const pairs: { baseline: number; measured: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const before = round % 2 === 0 ? await baseline() : null
    const measured = await subject()
    pairs.push({ baseline: before ?? (await baseline()), measured })
  }
  return {
    baseline: median(pairs.map((pair) => pair.baseline)),
    measured: median(pairs.map((pair) => pair.measured)),
    ratio: median(pairs.map((pair) => pair.measured / pair.baseline)),
  }
}
