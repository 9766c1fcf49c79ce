import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { OVERLAP_MS, startEmbedded } from '../database/embedded/start.ts'
import type { GalleyError } from '../errors.ts'
import { standardTiming, type Timing } from '../jobs/heartbeat.ts'
import { type Logger, printLine } from '../log/log.ts'
import type { ListenAddresses } from './compose.ts'

export interface Galley extends ListenAddresses {
  /** Takes nothing new, answers what was accepted, finishes and releases everything, within one deadline; gives the rest back. */
  stop(): Promise<void>
}

/**
 * Resolves when Galley serves.
 * @param onLost called when it can no longer go on, with the reason
 * @param timing of leases and time-outs; tests of takeovers shorten it
 * @param show where a person reads the first API key
 * @throws GalleyError for a folder in use, a database out of reach, a port taken
 */
export async function startGalley(
  config: Config,
  log: Logger,
  onLost: (error: GalleyError) => void = () => undefined,
  timing: Timing = standardTiming,
  show: (text: string) => Promise<void> = printLine,
): Promise<Galley> {
  /** What has been started, the newest last; stopped from the end. */
  const started: StoppablePart[] = []
  const stop = () => stopAll(started.splice(0).reverse(), timing.stopMs, log)
  try {
    let connectionString = config.databaseUrl
    if (connectionString === undefined) {
      const server = await startEmbedded({ dataDir: config.dataDir, log, patience: OVERLAP_MS, onLost })
      started.push({ name: 'PostgreSQL', stop: () => server.stop() })
      connectionString = server.connectionString
    }
    const { compose } = await import('./compose.ts')
    return { ...(await compose({ config, connectionString, log, onLost, timing, show }, started)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

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
