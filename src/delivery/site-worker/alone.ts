import type { Timing } from '../../jobs/timing.ts'

/** Tries that were given up after which the patience grows no more: with the standard first one, 16 minutes. */
const MOST_DOUBLINGS = 4

/**
 * Milliseconds that a delivery which is to be done alone waits for the others of its process, none of which begins
 * meanwhile. Twice as long after each try that was given up: a wait as long as the one before would find others that take
 * as long again, and so on for ever.
 */
export const patienceAlone = (tries: number, { aloneWithinMs }: Pick<Timing, 'aloneWithinMs'>): number =>
  aloneWithinMs * 2 ** Math.min(tries, MOST_DOUBLINGS)

/** After a try that was given up the others go on for so many times as long as they stood still for it. */
export const REST_OF_OTHERS = 2
