/** Who counts as alive, who holds what for how long, and when what is left behind is looked for. */
export interface Timing {
  /** Milliseconds between two heartbeats of a process; each renews the leases that it holds. */
  beatMs: number
  /** Seconds without a beat after which a process counts as dead. */
  deadAfterS: number
  /** Seconds that a claim holds without a ledger write or a heartbeat of its process. */
  leaseS: number
  /** Milliseconds between two sweeps. */
  sweepMs: number
  /** Milliseconds after which a site worker looks at its site's settings again, and whether another needs its place. */
  checkpointMs: number
  /** Milliseconds for which a site is left alone after its first failure; doubled with every further one. */
  firstPauseMs: number
  /** Milliseconds before the second attempt of a delivery that failed; tripled with every further one. */
  firstBackoffMs: number
  /** Milliseconds that a delivery which is to be done alone waits for the others of its process the first time; none begins meanwhile. */
  aloneWithinMs: number
  /** Milliseconds that a process which was asked to stop gives all that is under way. */
  stopMs: number
  /** Milliseconds after which a post that a site finished late is looked for. */
  orphansAfterMs: number
  /** Milliseconds since the doctor's last report within which a failure of the site does not send the doctor again. */
  checkAgainAfterMs: number
  /**
   * Milliseconds in which nobody else is taken to have touched what a delivery has just made on a site, or has just seen
   * there: it is not looked at again before it is written to.
   */
  untouchedMs: { made: number; seen: number }
  /** Milliseconds after that, or after a look, within which a fill leaves; one that had to wait longer is preceded by another look. */
  fillWithinMs: number
  /** Milliseconds for a whole exchange with a site, by kind; the client's own where left out. */
  exchangeMs?: { read?: number; write?: number; upload?: number }
}

/**
 * Two beats may be late before a process counts as dead, and its sites go on within 30 s of its death: 15 s, a sweep,
 * and the job queue's own look. PHP gives up long before ten minutes, so by then a site has finished what it ever will.
 */
export const standardTiming: Timing = {
  beatMs: 5_000,
  deadAfterS: 15,
  leaseS: 60,
  sweepMs: 2_000,
  checkpointMs: 5_000,
  firstPauseMs: 5_000,
  firstBackoffMs: 10_000,
  aloneWithinMs: 60_000,
  stopMs: 25_000,
  orphansAfterMs: 10 * 60_000,
  checkAgainAfterMs: 60_000,
  untouchedMs: { made: 5_000, seen: 2_000 },
  fillWithinMs: 2_000,
}
