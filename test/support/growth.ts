/** How many times larger the large input is. */
const TIMES = 16

/** Neither the first run, which compiles, nor one that another process held up says anything. */
const ROUNDS = 5

/**
 * How the time of `work` grows with its input: the time for one input of `16 × size`, by the time for sixteen of `size`,
 * both in this run. About 1 where it is linear, about 16 where it is quadratic, whatever the machine.
 */
export function growth<Input>(work: (input: Input) => unknown, make: (size: number) => Input, size: number) {
  const small = make(size)
  const large = make(size * TIMES)
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS && least > 1.5; round += 1) {
    const timeOfSmall = timeOf(() => {
      for (let times = 0; times < TIMES; times += 1) work(small)
    })
    least = Math.min(least, timeOf(() => work(large)) / timeOfSmall)
  }
  return least
}

/** Above this it is not linear: between 1, with what a busy machine adds, and 16. */
export const NOT_LINEAR = 5

function timeOf(work: () => void): number {
  const began = performance.now()
  work()
  return Math.max(performance.now() - began, 0.001)
}
