/** How many times larger the large input is. */
const TIMES = 16

/** The first rounds compile, and any may be disturbed; what is linear is found so in one of them, and nothing else is. */
const ROUNDS = 20

/**
 * How the time of `work` grows with its input: the time for one input of `16 × size`, by the time for sixteen of `size`,
 * both in this run and both in time of the processor, which a busy machine does not lengthen. About 1 where it is linear,
 * about 16 where it is quadratic.
 */
export function growth<Input>(work: (input: Input) => unknown, make: (size: number) => Input, size: number) {
  const small = make(size)
  const large = make(size * TIMES)
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS && least > NOT_LINEAR / 2; round += 1) {
    const timeOfSmall = timeOf(() => {
      for (let times = 0; times < TIMES; times += 1) work(small)
    })
    least = Math.min(least, timeOf(() => work(large)) / timeOfSmall)
  }
  return least
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
