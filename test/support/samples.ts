/** The seed of random tests, which print theirs. `GALLEY_TEST_SEED` repeats a run. */
export const seed = Number(process.env.GALLEY_TEST_SEED ?? Date.now() % 2 ** 31)

/** How many samples a statistical test takes: a tenth of them all, unless `GALLEY_TEST_SAMPLES=all` asks for all. */
export const samples = (all: number): number =>
  process.env.GALLEY_TEST_SAMPLES === 'all' ? all : Math.ceil(all / 10)
