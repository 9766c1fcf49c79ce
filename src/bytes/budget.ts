import { Lane } from './lane.ts'
import { type Use, uses } from './uses.ts'

/** The bytes that this process may have in flight, by what they are held for. */
export type ByteBudget = Readonly<Record<Use, Lane>>

/** Bytes, where nothing else is set. */
export const DEFAULT_BYTES_IN_FLIGHT = 256 * 1024 * 1024

/** Milliseconds that somebody waits for a share; far beyond what a download or an upload of usual size takes. */
const WAIT_MS = 60_000

/** @param total bytes of all uses together */
export function createByteBudget(total = DEFAULT_BYTES_IN_FLIGHT, { waitMs = WAIT_MS } = {}): ByteBudget {
  const lane = (use: Use) => new Lane(Math.floor(total * uses[use]), waitMs)
  return {
    webhooks: lane('webhooks'),
    documents: lane('documents'),
    events: lane('events'),
    files: lane('files'),
    answers: lane('answers'),
  }
}
