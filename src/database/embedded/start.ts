import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from '../../errno.ts'
import { GalleyError } from '../../errors.ts'
import type { Log } from '../log.ts'
import { claim } from './claim.ts'
import { openCluster } from './cluster.ts'
import { bringUp, choosePort, connectionString, type Server } from './server.ts'
import { stopServer } from './stop.ts'

export interface EmbeddedOptions {
  /** `GALLEY_DATA_DIR`; made where it does not exist. */
  dataDir: string
  log: Log
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
  /** Ends every session and stops the server; resolves when all is on disk. To be called once, last of all. */
  stop(): Promise<void>
}

/**
 * Starts PostgreSQL with its data under `dataDir`, or adopts the server that a killed Galley left running there, and
 * keeps it running: should it die, it is started again.
 *
 * @throws GalleyError `data_folder_in_use`, `data_folder_unusable`, `embedded_unavailable`, `embedded_failed`
 */
export async function startEmbedded({ dataDir, log, onLost }: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const cluster = await openCluster(dataDir, log).catch((error: unknown) => {
    throw asUnusable(error, dataDir)
  })
  let stopping = false
  let recovery: Promise<void> = Promise.resolve()

  const bringUpAndClaim = async (port: number): Promise<Server> => {
    const server = await bringUp(cluster, port, log)
    // What breaks the session also ends it; `end` is where we act.
    server.session.on('error', () => undefined)
    await claim(server.session, cluster).catch(async (error: unknown) => {
      await server.session.end()
      throw error
    })
    server.session.on('end', () => {
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
        if (error instanceof GalleyError && error.code === 'data_folder_in_use') return onLost?.(error)
        log.error({ err: error }, 'The database could not be started again')
        await sleep(pause)
      }
    }
  }

  let server = await bringUpAndClaim(await choosePort(cluster))
  await makeDatabase(server)
  return {
    connectionString: connectionString(cluster, server.postmaster, 'galley'),
    get pid() {
      return server.postmaster.pid
    },
    get adopted() {
      return server.adopted
    },
    async stop() {
      stopping = true
      await recovery
      // The session, and the claim with it, ends with the server and not before: another Galley that starts now
      // must not find a server that is about to stop.
      await stopServer(cluster)
    },
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
