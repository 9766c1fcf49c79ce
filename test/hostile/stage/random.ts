import { type Random, seeded } from '../../support/random.ts'

/** `GALLEY_HOSTILE_SEED` repeats a run; otherwise every long run is another one. Printed with every figure. */
export const seed = Number(
  process.env.GALLEY_HOSTILE_SEED ??
    (process.env.GALLEY_HOSTILE === 'long' ? Math.floor(Math.random() * 2 ** 31) : 1),
)

/** Whether everything is sent (`npm run test:hostile`), or what fits into half a minute. */
export const long = process.env.GALLEY_HOSTILE === 'long'

/** Draws from a sequence that the seed of the run and this name decide, whatever other parts draw. */
export interface Draw extends Random {
  chance(probability: number): boolean
  uuid(): string
}

export function drawFor(name: string): Draw {
  const random = seeded([...name].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed))
  const hex = (digits: number) => Array.from({ length: digits }, () => random.below(16).toString(16)).join('')
  return {
    ...random,
    chance: (probability) => random.next() < probability,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
  }
}
