/** Numbers that are the same in every run of a test. */
export interface Random {
  /** From 0 up to 1. */
  number(): number
  /** From a normal distribution around 0. */
  normal(): number
  /** True in so many of a hundred cases. */
  percent(chance: number): boolean
  pick<T>(from: readonly T[]): T
}

/** Mulberry32: small, and even enough for texts. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  const number = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    number,
    // Box and Muller
    normal: () => Math.sqrt(-2 * Math.log(1 - number())) * Math.cos(2 * Math.PI * number()),
    percent: (chance) => number() * 100 < chance,
    pick: (from) => from[Math.floor(number() * from.length)] as (typeof from)[number],
  }
}
