import type { Timing } from '../../../src/jobs/heartbeat.ts'

/** The standard timing in small: a takeover takes seconds, and a site that was in trouble is tried again at once. */
export const quickTiming: Timing = {
  beatMs: 500,
  deadAfterS: 3,
  leaseS: 6,
  sweepMs: 300,
  checkpointMs: 2_000,
  firstPauseMs: 200,
  firstBackoffMs: 300,
  aloneWithinMs: 15_000,
  stopMs: 25_000,
  orphansAfterMs: 4_000,
  // Its requests would be among those that a test counts.
  publicCheckMs: { first: 24 * 60 * 60_000, again: 500 },
  // The doctor's requests would be among those that a test counts.
  checkAgainAfterMs: Number.POSITIVE_INFINITY,
  untouchedMs: { made: 5_000, seen: 2_000 },
  fillWithinMs: 2_000,
  exchangeMs: { read: 6_000, write: 6_000, upload: 10_000 },
}

/** A stalled answer is given up sooner than on a busy machine an honest one comes; so only tests that stall use it. */
export const impatientTiming: Timing = {
  ...quickTiming,
  exchangeMs: { read: 3_000, write: 3_000, upload: 4_000 },
}
