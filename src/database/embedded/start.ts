import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { GalleyError, hasErrnoCode } from '../../errors.ts'
import type { DatabaseLog } from '../client.ts'
import { type Cluster, claimDataFolder, openCluster } from './cluster.ts'
import { isServerOf, runningPostmaster } from './postmaster.ts'
import { choosePort, connectionString, ensureServer, type RunningServer } from './server.ts'
import { runProgram } from './server-user.ts'

interface EmbeddedOptions {
  dataDir: string
  log: DatabaseLog
  /** Called while waiting for a server that was just started. */
  onLaunched?: () => void
  /** Called when another Galley took the data after the server died: exit. */
  onLost?: (error: GalleyError) => void
}

export interface EmbeddedDatabase {
  /** Stays the same after a restart of the server. */
  connectionString: string
  /** Changes when the server is restarted. */
  readonly pid: number
  readonly adopted: boolean
  /**
   * Ends all sessions and stops the server; resolves when all is on disk. Call it once, last. A
   * server that another Galley took over is left alone.
   */
  stop(): Promise<void>
}

/**
 * Starts PostgreSQL with its data under `dataDir`, or adopts the server that a killed Galley left,
 * and restarts it when it dies.
 *
 * @throws GalleyError `data_folder_in_use`, `data_folder_unusable`, `embedded_unavailable`,
 * `embedded_failed`
 */
export async function startEmbedded({
  dataDir,
  log,
  onLaunched,
  onLost,
}: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const cluster = await openCluster(dataDir, log).catch((error: unknown) => {
    throw asEmbeddedUnavailable(error, dataDir)
  })
  let stopping = false
  /** False while the server is away, or taken by another Galley. */
  let claimed = false
  let recovery: Promise<void> = Promise.resolve()

  const bringUpAndClaim = async (port: number): Promise<RunningServer> => {
    const server = await ensureServer(cluster, port, log, onLaunched)
    await claimDataFolder(server.session, cluster).catch(async (error: unknown) => {
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
    // The session and its claim must outlast the server: another Galley that starts now must not
    // find one about to stop.
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

async function makeDatabase({ session }: RunningServer): Promise<void> {
  const { rowCount } = await session.query("select from pg_database where datname = 'galley'")
  if (rowCount === 0) await session.query('create database galley')
}

function asEmbeddedUnavailable(error: unknown, dataDir: string): unknown {
  if (!hasErrnoCode(error, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC')) return error
  return new GalleyError({
    code: 'data_folder_unusable',
    message:
      `Galley cannot keep its database in the data folder ${dataDir}: ${(error as Error).message}. ` +
      'Give it a folder that it may write to with GALLEY_DATA_DIR, or a PostgreSQL of your own with DATABASE_URL.',
    action: 'owner',
    cause: error,
  })
}

/**
 * The connection string of the database that another Galley on this machine runs.
 *
 * @throws GalleyError `embedded_unavailable` where none runs
 */
export async function attachEmbedded(dataDir: string, log: DatabaseLog): Promise<string> {
  const cluster = await openCluster(dataDir, log)
  const postmaster = await runningPostmaster(cluster.data)
  if (postmaster !== undefined) return connectionString(cluster, postmaster.port, 'galley')
  throw new GalleyError({
    code: 'embedded_unavailable',
    action: 'retry',
    message: `The Galley that uses the data folder ${dataDir} is just stopping. Try again in a moment.`,
  })
}

const STOP_TIMEOUT_MS = 60_000

/**
 * PostgreSQL's "fast" shutdown: ends sessions, rolls back transactions, writes everything to disk.
 */
async function stopServer(cluster: Cluster): Promise<void> {
  const server = await runningPostmaster(cluster.data)
  if (!server) return
  if (process.platform === 'win32') {
    await runProgram(cluster.binaries.pgCtl, ['stop', '-m', 'fast', '-D', cluster.data], {
      user: cluster.user,
      cwd: cluster.data,
    })
    return
  }
  process.kill(server.pid, 'SIGINT')
  const deadline = performance.now() + STOP_TIMEOUT_MS
  while (await isServerOf(server.pid, cluster.data)) {
    if (performance.now() > deadline) {
      throw new GalleyError({
        code: 'embedded_failed',
        message: `Galley's own PostgreSQL (process ${server.pid}) did not stop within ${STOP_TIMEOUT_MS / 1000} s; look at ${cluster.logFile}.`,
        action: 'owner',
      })
    }
    await sleep(25)
  }
  // Created anew at every start; in /tmp nobody else would remove it.
  if (cluster.socketDir) await rm(cluster.socketDir, { recursive: true, force: true })
}
