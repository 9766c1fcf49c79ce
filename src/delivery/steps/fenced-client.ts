import { GalleyError } from '../../errors.ts'
import type { Timing } from '../../jobs/timing.ts'
import type { WordPressClient } from '../../wordpress/client/index.ts'
import type { Ledger } from '../ledger/ledger.ts'

/**
 * A client whose requests leave only while the claim is fresh. The fence keeps a worker that slept from writing to the
 * ledger; this keeps it from writing to the site: what it had ready when it fell asleep stays unsent. Nor do they leave for
 * a site that has just failed for good.
 *
 * @param justFailed that failure, or null; always null for who is to find out whether the site works again
 */
export function fencedClient(
  client: WordPressClient,
  ledger: Ledger,
  { deadAfterS }: Timing,
  justFailed: () => GalleyError | null,
): WordPressClient {
  const beforeSend = () => {
    // The others wait longer than this before they take over.
    if (ledger.silence > (deadAfterS * 1000 * 2) / 3) throw sleptThrough()
    const failure = justFailed()
    if (failure !== null) throw failure
  }
  return client.with({ beforeSend })
}

const sleptThrough = (): GalleyError =>
  new GalleyError({
    code: 'process_stalled',
    message:
      'Galley was held up before it could write to the site, so it first checks whether another process has taken over. It tries again by itself.',
    fault: 'galley',
    action: 'retry',
  })
