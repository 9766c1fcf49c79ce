/** How many times larger the large input is. */
const TIMES = 16

/** Any may be disturbed, of the small input or of the large: the least of each counts. */
const ROUNDS = { least: 2, most: 20 }

/** Microseconds of the small input from which nothing disturbs it so much that what grows squared looked linear. */
const UNDISTURBED = 20_000

/**
 * How the time of `work` grows with its input: the time for one input of `16 × size`, by the time for sixteen of `size`,
 * both in this run and both in time of the processor, which a busy machine does not lengthen. About 1 where it is linear,
 * about 16 where it is quadratic.
 */
export function growth<Input>(work: (input: Input) => unknown, make: (size: number) => Input, size: number) {
  const small = make(size)
  const large = make(size * TIMES)
  const leastOf = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
  const grown = () => leastOf.large / leastOf.small
  const isClear = () => grown() <= NOT_LINEAR / 2
  for (let round = 0; round < ROUNDS.most; round += 1) {
    if (isClear() && (round >= ROUNDS.least || leastOf.small > UNDISTURBED)) break
    // The large one first: it compiles, and what that takes must not lengthen the other.
    leastOf.large = Math.min(
      leastOf.large,
      timeOf(() => work(large)),
    )
    const timeOfSmall = timeOf(() => {
      for (let times = 0; times < TIMES; times += 1) work(small)
    })
    leastOf.small = Math.min(leastOf.small, timeOfSmall)
  }
  return grown()
}

/** Above this it is not linear: between 1, with what a busy machine adds, and 16. */
export const NOT_LINEAR = 5

/** Microseconds of this process. */
function timeOf(work: () => void): number {
  const began = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(began)
  return Math.max(user + system, 1)
}
