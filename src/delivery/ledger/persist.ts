import { setTimeout as wait } from 'node:timers/promises'
import { databaseTrouble } from '../../database/sqlstates.ts'
import type { Logger } from '../../log.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/**
 * Does `work`, which is one fenced transaction, until the database is there to take it: what was carried out though its
 * answer was lost finds itself fenced off the second time. Gives up when the process is asked to stop; the lease then
 * ends by itself.
 *
 * @throws what the database refuses, at once: it would refuse it for ever
 */
export async function persist<Result>(
  { stopping, log }: { stopping: AbortSignal; log: Logger },
  work: () => Promise<Result>,
): Promise<Result> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work()
    } catch (err) {
      const trouble = databaseTrouble(err)
      if (stopping.aborted || trouble === undefined || trouble === 'refused') throw err
      log.warn({ err }, 'the outcome of a delivery could not be stored yet; trying again')
      await wait(pause)
    }
  }
}
