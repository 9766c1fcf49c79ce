import type { Config } from '../config/config.ts'
import { OVERLAP_MS, startEmbedded } from '../database/embedded/start.ts'
import type { GalleyError } from '../errors.ts'
import { standardTiming, type Timing } from '../jobs/heartbeat.ts'
import { type Logger, printLine } from '../log/log.ts'
import type { ListenAddresses } from './compose.ts'
import { type StoppablePart, stopAll } from './shutdown.ts'

export interface Galley extends ListenAddresses {
  /** Takes nothing new, answers what was accepted, finishes and releases everything, within one deadline; gives the rest back. */
  stop(): Promise<void>
}

/**
 * Starts Galley with these settings and resolves when it serves.
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
    const connectionString = config.databaseUrl ?? (await startOwnDatabase(config, log, onLost, started))
    const { compose } = await import('./compose.ts')
    return { ...(await compose({ config, connectionString, log, onLost, timing, show }, started)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The embedded PostgreSQL, stopped last of all. @returns its connection string */
async function startOwnDatabase(
  { dataDir }: Config,
  log: Logger,
  onLost: (error: GalleyError) => void,
  started: StoppablePart[],
): Promise<string> {
  const server = await startEmbedded({ dataDir, log, patience: OVERLAP_MS, onLost })
  started.push({ name: 'PostgreSQL', stop: () => server.stop() })
  return server.connectionString
}
