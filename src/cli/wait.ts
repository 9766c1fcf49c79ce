import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from './session.ts'

/** Milliseconds between two looks: short at first, as most is over soon. */
const PAUSES = [250, 500, 1_000, 2_000]

/**
 * Looks until there is an end. What is said meanwhile is one line that is written over where somebody watches, and else a
 * line for each change.
 *
 * @param look how far it is, in words, and the end once it has come
 */
export async function until<End>(
  { world, note }: Session,
  look: () => Promise<{ said: string; end: End | undefined }>,
): Promise<End> {
  let last = ''
  for (let n = 0; ; n += 1) {
    const { said, end } = await look()
    if (said !== last) note(said)
    last = said
    if (end !== undefined) return end
    await sleep(PAUSES[Math.min(n, PAUSES.length - 1)], undefined, { signal: world.stop })
  }
}
