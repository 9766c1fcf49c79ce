/** `GALLEY_FAULTS_SEED` repeats a run; otherwise every run is another one. Printed where it is used. */
export const seed = Number(process.env.GALLEY_FAULTS_SEED ?? Math.floor(Math.random() * 2 ** 31))

/** Whether everything is run, however long it takes (`npm run test:faults`), or what fits into a minute. */
export const long = process.env.GALLEY_FAULTS === 'long'

export interface Random {
  /** From 0 up to, and without, 1. */
  next(): number
  /** A whole number from 0 up to, and without, `below`. */
  below(below: number): number
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
