import pRetry from 'p-retry'
import { isPassing } from '../database/sqlstates.ts'
import type { Logger } from '../log.ts'

/** Milliseconds between two tries: doubled each time. */
const PAUSE = { minTimeout: 250, maxTimeout: 5_000 }

/**
 * Does `work`, which is one fenced transaction, until the database is there to take it: what was carried out though its
 * answer was lost finds itself fenced off the second time. Gives up when the process is asked to stop; the lease then
 * ends by itself.
 *
 * @throws what the database refuses, at once: it would refuse it for ever
 */
export const persist = <Result>(
  { stopping, log }: { stopping: AbortSignal; log: Logger },
  work: () => Promise<Result>,
): Promise<Result> =>
  pRetry(work, {
    ...PAUSE,
    retries: Number.POSITIVE_INFINITY,
    shouldRetry: ({ error }) => {
      if (stopping.aborted || !isPassing(error)) return false
      log.warn({ err: error }, 'what came of something could not be stored yet; trying again')
      return true
    },
  })
