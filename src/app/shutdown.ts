import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '../log/log.ts'

/** Something that was started and is to be stopped. */
export interface StoppablePart {
  /** As in “… did not end in time”. */
  name: string
  /** Takes nothing new from now on; called of every part before any is stopped. */
  stopAccepting?(): void
  /** @param deadline aborted when nothing may be waited for any more */
  stop(deadline: AbortSignal): Promise<void>
}

/** Milliseconds that a part has to let go of everything once the deadline is over. */
const SHUTDOWN_GRACE_MS = 3_000

/** Stops the parts one by one, within one deadline and a moment: a process killed amid it has given nothing back. */
export async function stopAll(parts: readonly StoppablePart[], withinMs: number, log: Logger): Promise<void> {
  const deadline = AbortSignal.timeout(withinMs)
  for (const { stopAccepting } of parts) stopAccepting?.()
  for (const { name, stop } of parts) {
    const late = (async () => {
      if (!deadline.aborted) await new Promise((resolve) => deadline.addEventListener('abort', resolve))
      await wait(SHUTDOWN_GRACE_MS, undefined, { ref: false })
      return 'late' as const
    })()
    try {
      if ((await Promise.race([stop(deadline), late])) === 'late')
        log.warn(`${name} did not end in time and is left to the end of the process`)
    } catch (err) {
      log.error({ err }, `${name} did not end well`)
    }
  }
}
