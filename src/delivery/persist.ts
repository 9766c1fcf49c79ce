import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '../log.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000

/**
 * Does `work`, which is a single fenced statement, until the database takes it: a statement that was carried out though
 * its answer was lost finds itself fenced off the second time. Gives up when the process is asked to stop; the lease
 * then ends by itself.
 */
export async function persist<Result>(
  { stopping, log }: { stopping: AbortSignal; log: Logger },
  work: () => Promise<Result>,
): Promise<Result> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work()
    } catch (err) {
      if (stopping.aborted) throw err
      log.warn({ err }, 'how a delivery ended could not be stored yet and is tried again')
      await wait(pause)
    }
  }
}
