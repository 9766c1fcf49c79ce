const areAll = process.env.GALLEY_TEST_SAMPLES === 'all'

/**
 * The seed of random tests, which print theirs: always the same, so that a change fails for what it changed; another one in
 * each run with all samples. `GALLEY_TEST_SEED` chooses one.
 */
export const seed = Number(process.env.GALLEY_TEST_SEED ?? (areAll ? Date.now() % 2 ** 31 : 1))

/** How many samples a statistical test takes: a tenth of them all, unless `GALLEY_TEST_SAMPLES=all` asks for all. */
export const samples = (all: number): number => (areAll ? all : Math.ceil(all / 10))

/** A sequence of numbers that its seed decides. */
export interface Random {
  /** From 0 up to, and without, 1. */
  next(): number
  /** A whole number from 0 up to, and without, `limit`. */
  below(limit: number): number
  /** From a normal distribution around 0 with the deviation 1. */
  normal(): number
  /** True in `chance` of a hundred cases. */
  percent(chance: number): boolean
  pick<Item>(items: readonly Item[]): Item
  shuffle<Item>(items: readonly Item[]): Item[]
}

/** Mulberry32: small, and the same everywhere for the same seed. */
export function seeded(start: number): Random {
  let state = start >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    // Box and Muller
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    percent: (chance) => next() * 100 < chance,
    pick: <Item>(items: readonly Item[]) => items[below(items.length)] as Item,
    shuffle(items) {
      const shuffled = [...items]
      for (let i = shuffled.length - 1; i > 0; i--) {
        const j = below(i + 1)
        ;[shuffled[i], shuffled[j]] = [shuffled[j] as never, shuffled[i] as never]
      }
      return shuffled
    },
  }
}

/** A part of them all, as many as `samples` says, that the seed decides. */
export const sampleOf = <Item>(all: readonly Item[]): Item[] =>
  seeded(seed).shuffle(all).slice(0, samples(all.length))
