import type { Config } from '../config/config.ts'
import { startEmbedded } from '../database/embedded/start.ts'
import type { GalleyError } from '../errors.ts'
import { standardTiming, type Timing } from '../jobs/heartbeat.ts'
import { type Logger, printLine } from '../log/log.ts'
import type { ListenAddresses } from './compose.ts'
import { type StoppablePart, stopAll } from './shutdown.ts'

export interface Galley extends ListenAddresses {
  /**
   * Takes nothing new from now on, answers what it has accepted, finishes what is under way, and releases everything, in
   * that order; all of it within one deadline, at which what is not finished is given back.
   */
  stop(): Promise<void>
}

/**
 * Starts Galley with these settings and resolves when it serves.
 *
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
    const { databaseUrl } = config
    const database =
      databaseUrl === undefined ? embedded(config, log, onLost, started) : external(databaseUrl)
    // PostgreSQL comes up in its process while the rest of Galley is loaded in this one, which does nothing else then.
    await Promise.race([database.launched, database.connectionString])
    const [connectionString, { compose }] = await Promise.all([
      database.connectionString,
      import('./compose.ts'),
    ])
    return { ...(await compose({ config, connectionString, log, onLost, timing, show }, started)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

interface ChosenDatabase {
  /** Resolves when its server is on its way, and never where that was found running. */
  launched: Promise<void>
  /** Resolves when its server answers. */
  connectionString: Promise<string>
}

const external = (databaseUrl: string): ChosenDatabase => ({
  launched: Promise.resolve(),
  connectionString: Promise.resolve(databaseUrl),
})

/** The embedded PostgreSQL, stopped last of all. */
function embedded(
  { dataDir }: Config,
  log: Logger,
  onLost: (error: GalleyError) => void,
  started: StoppablePart[],
): ChosenDatabase {
  let onLaunched = () => {}
  const launched = new Promise<void>((resolve) => {
    onLaunched = resolve
  })
  const server = startEmbedded({ dataDir, log, onLaunched, onLost })
  const connectionString = server.then((running) => {
    started.push({ name: 'PostgreSQL', stop: () => running.stop() })
    return running.connectionString
  })
  return { launched, connectionString }
}
