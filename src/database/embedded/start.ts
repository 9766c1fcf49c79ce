import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from '../../errno.ts'
import { GalleyError } from '../../errors.ts'
import type { Log } from '../log.ts'
import { claim } from './claim.ts'
import { openCluster } from './cluster.ts'
import { bringUp, type Server } from './server.ts'
import { choosePort, connectionString } from './session.ts'
import { stopServer } from './stop.ts'

export interface EmbeddedOptions {
  /** `GALLEY_DATA_DIR`; made where it does not exist. */
  dataDir: string
  log: Log
  /** Called when the server is on its way, and this process has nothing to do but wait for it. */
  onLaunched?: () => void
  /** Called when the server died, was started again, and another Galley had taken it meanwhile: time to exit. */
  onLost?: (error: GalleyError) => void
}

/** Galley's own PostgreSQL, running, and this process's alone. */
export interface EmbeddedDatabase {
  /** Of the database `galley`; the same after every restart of the server. */
  connectionString: string
  /** Of the server; another one after it had to be started again. */
  readonly pid: number
  /** Whether the server was found running, left behind by a Galley that was killed. */
  readonly adopted: boolean
  /**
   * Ends every session and stops the server; resolves when all is on disk. To be called once, last of all. A server
   * that another Galley has taken over is left alone.
   */
  stop(): Promise<void>
}

/**
 * Starts PostgreSQL with its data under `dataDir`, or adopts the server that a killed Galley left running there, and
 * keeps it running: should it die, it is started again.
 *
 * @throws GalleyError `data_folder_in_use`, `data_folder_unusable`, `embedded_unavailable`, `embedded_failed`
 */
export async function startEmbedded({
  dataDir,
  log,
  onLaunched,
  onLost,
}: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const cluster = await openCluster(dataDir, log).catch((error: unknown) => {
    throw asUnusable(error, dataDir)
  })
  let stopping = false
  /** Whether the server is ours: not while it is away, nor once another Galley has taken it. */
  let claimed = false
  let recovery: Promise<void> = Promise.resolve()

  const bringUpAndClaim = async (port: number): Promise<Server> => {
    const server = await bringUp(cluster, port, log, onLaunched)
    await claim(server.session, cluster).catch(async (error: unknown) => {
      await server.session.end()
      throw error
    })
    claimed = true
    server.session.on('end', () => {
      claimed = false
      if (!stopping) recovery = recover()
    })
    return server
  }

  const recover = async (): Promise<void> => {
    log.error(`The database in ${cluster.data} went away; starting it again`)
    for (let pause = 250; !stopping; pause = Math.min(pause * 2, 5_000)) {
      try {
        server = await bringUpAndClaim(server.postmaster.port)
        log.info(`The database in ${cluster.data} is back`)
        return
      } catch (error) {
        log.error({ err: error }, 'The database could not be started again')
        if (error instanceof GalleyError && error.code === 'data_folder_in_use') return onLost?.(error)
        await sleep(pause)
      }
    }
  }

  const stop = async (): Promise<void> => {
    stopping = true
    await recovery
    // The session, and the claim with it, ends with the server and not before: another Galley that starts now must
    // not find a server that is about to stop.
    if (claimed) await stopServer(cluster)
  }

  let server = await bringUpAndClaim(await choosePort(cluster))
  await makeDatabase(server).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return {
    connectionString: connectionString(cluster, server.postmaster.port, 'galley'),
    get pid() {
      return server.postmaster.pid
    },
    get adopted() {
      return server.adopted
    },
    stop,
  }
}

async function makeDatabase({ session }: Server): Promise<void> {
  const { rowCount } = await session.query("select from pg_database where datname = 'galley'")
  if (rowCount === 0) await session.query('create database galley')
}

function asUnusable(error: unknown, dataDir: string): unknown {
  if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC')) return error
  return new GalleyError({
    code: 'data_folder_unusable',
    message:
      `Galley cannot keep its database in the data folder ${dataDir}: ${(error as Error).message}. ` +
      'Give it a folder that it may write to with GALLEY_DATA_DIR, or a PostgreSQL of your own with DATABASE_URL.',
    action: 'owner',
    cause: error,
  })
}
