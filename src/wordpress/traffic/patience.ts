import { setTimeout as sleep } from 'node:timers/promises'

/** How often a request is made before its failure is believed. */
export const TRIES = 3

const FIRST_PAUSE_MS = 150

/**
 * Waits before a request is made again: 75 to 225 ms, then 150 to 450, so that those who failed together do not come back
 * together.
 *
 * @param tries how often it has failed, from 1
 */
export const pause = (tries: number): Promise<void> =>
  sleep(FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random()))
