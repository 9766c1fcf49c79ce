import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { chownSync, closeSync, existsSync, openSync, renameSync } from 'node:fs'
import { readFile, statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { GalleyError, hasErrnoCode, operatorError } from '../../errors.ts'
import type { DatabaseLog } from '../client.ts'
import { CONNECTION_REFUSED_STATES, databaseFailure } from '../errors.ts'
import { type Cluster, claimDataFolder, openCluster } from './cluster.ts'
import { isServerOf, recordedServerPid, runningServerPid } from './folders.ts'
import { programEnvironment, programFailed } from './server-user.ts'

/** Milliseconds in which the end of another Galley, and of its server, is over. */
export const OVERLAP_MS = 30_000

interface EmbeddedOptions {
  dataDir: string
  log: DatabaseLog
  /** Milliseconds to wait for another Galley that holds the data folder, and may be about to end. */
  patience?: number
  /** Called when another Galley took the data after the server died: exit. */
  onLost?: (error: GalleyError) => void
}

export interface EmbeddedDatabase {
  /** Stays the same after a restart of the server. */
  connectionString: string
  /** Changes when the server is restarted. */
  readonly pid: number
  /** Ends sessions, and the server unless another Galley took it over; then all is on disk. Call it last. */
  stop(): Promise<void>
}

/** Starts PostgreSQL, or adopts the server that a killed Galley left; restarts it when it dies. @throws GalleyError */
export async function startEmbedded({
  dataDir,
  log,
  patience = 0,
  onLost,
}: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const cluster = await openCluster(dataDir, log).catch((error: unknown) => {
    throw asEmbeddedUnavailable(error, dataDir)
  })
  let stopping = false
  /** False while the server is away, or taken by another Galley. */
  let claimed = false
  let recovery: Promise<void> = Promise.resolve()

  const bringUpAndClaim = async (): Promise<RunningServer> => {
    const deadline = performance.now() + OVERLAP_MS
    for (;;) {
      const server = await ensureServer(cluster, log)
      let ended = false
      server.session.on('end', () => {
        ended = true
        if (!claimed) return
        claimed = false
        if (!stopping) recovery = recover()
      })
      try {
        await claimDataFolder(server.session, cluster, { patience, log })
        await makeDatabase(server)
        if (ended) throw new Error('Connection terminated')
        claimed = true
        return server
      } catch (error) {
        await server.session.end().catch(() => undefined)
        // Another Galley ends, and the server with it, under the claim: there will be a new one.
        if (databaseFailure(error) === undefined || performance.now() > deadline) throw error
        await sleep(250)
      }
    }
  }

  const recover = async (): Promise<void> => {
    log.error(`The database in ${cluster.data} went away; starting it again`)
    for (let pause = 250; !stopping; pause = Math.min(pause * 2, 5_000)) {
      try {
        server = await bringUpAndClaim()
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

  let server = await bringUpAndClaim()
  return {
    connectionString: connectionString(cluster, 'galley'),
    get pid() {
      return server.pid
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
  return operatorError(
    'data_folder_unusable',
    `Galley cannot keep its database in the data folder ${dataDir}: ${(error as Error).message}. ` +
      'Give it a folder that it may write to with GALLEY_DATA_DIR, or a PostgreSQL of your own with DATABASE_URL.',
    error,
  )
}

/** The database that another Galley here runs. @throws GalleyError `embedded_unavailable` where none does */
export async function attachEmbedded(dataDir: string, log: DatabaseLog): Promise<string> {
  const cluster = await openCluster(dataDir, log)
  if ((await runningServerPid(cluster.data)) !== undefined) return connectionString(cluster, 'galley')
  throw new GalleyError({
    code: 'embedded_unavailable',
    action: 'retry',
    message: `The Galley that uses the data folder ${dataDir} is just stopping. Try again in a moment.`,
  })
}

const STOP_TIMEOUT_MS = 60_000

/** PostgreSQL's "fast" shutdown: ends sessions, rolls back transactions, writes everything to disk. */
async function stopServer(cluster: Cluster): Promise<void> {
  const pid = await runningServerPid(cluster.data)
  if (pid === undefined) return
  process.kill(pid, 'SIGINT')
  const deadline = performance.now() + STOP_TIMEOUT_MS
  while (await isServerOf(pid, cluster.data)) {
    if (performance.now() > deadline) {
      throw operatorError(
        'embedded_failed',
        `Galley's own PostgreSQL (process ${pid}) did not stop within ${STOP_TIMEOUT_MS / 1000} s; look at ${cluster.logFile}.`,
      )
    }
    await sleep(25)
  }
}

interface RunningServer {
  session: Client
  pid: number
}

const START_LIMITS = {
  silence: 30_000,
  recovery: 600_000,
  progress: 2_000,
  /** Failed starts in a row: leftovers of a killed server need a moment to notice. */
  launches: 10,
}

async function ensureServer(cluster: Cluster, log: DatabaseLog): Promise<RunningServer> {
  const began = performance.now()
  let lastAnswer = began
  let lastLine = began
  let launches = 0
  let launched: ChildProcess | undefined

  for (;;) {
    const pid = await runningServerPid(cluster.data)
    if (pid !== undefined) {
      const session = await openSession(cluster)
      if (session instanceof Client) return { session, pid }
      if (session === 'busy') lastAnswer = performance.now()
    } else if (!launched || launched.exitCode !== null || launched.signalCode !== null) {
      if (launches === START_LIMITS.launches) throw programFailed('postgres', await serverLogTail(cluster))
      if (launches > 0) await sleep(500)
      launches += 1
      launched = await launchServer(cluster).catch((cause: Error) => {
        throw programFailed('postgres', cause.message, cause)
      })
    }
    const now = performance.now()
    if (now - lastAnswer > START_LIMITS.silence || now - began > START_LIMITS.recovery)
      throw notAnswering(cluster, pid)
    if (now - lastLine > START_LIMITS.progress) {
      log.info(`Waiting for the database in ${cluster.data} (${Math.round((now - began) / 1000)} s)`)
      lastLine = now
    }
    await sleep(25)
  }
}

/** The last lines of the server's log; a full disk may have kept them out. */
async function serverLogTail({ data, logFile }: Cluster): Promise<string> {
  const { bavail } = await statfs(data)
  if (bavail === 0) return `no space left on device: the disk of ${data} is full`
  const text = await readFile(logFile, 'utf8')
  return text.trim().split('\n').slice(-5).join(' · ')
}

function notAnswering(cluster: Cluster, pid: number | undefined): GalleyError {
  const who = pid === undefined ? 'no process yet' : `process ${pid}`
  return operatorError(
    'embedded_failed',
    `Galley's own PostgreSQL (${who}) in ${cluster.data} does not answer. ` +
      `Look at ${cluster.logFile}; if the process hangs, stop it and start Galley again.`,
  )
}

/** Socket folders differ, so the port is PostgreSQL's own. */
const PORT = 5432

export function connectionString(cluster: Cluster, database: string): string {
  const url = new URL(`postgresql://galley:${cluster.password}@localhost:${PORT}/${database}`)
  url.searchParams.set('host', cluster.socketDir)
  url.searchParams.set('sslmode', 'disable')
  return url.href
}

/** Connects to the database `postgres`. `busy`: the server starts or stops; `silent`: nobody answers. */
async function openSession(cluster: Cluster): Promise<Client | 'busy' | 'silent'> {
  const session = new Client({
    connectionString: connectionString(cluster, 'postgres'),
    connectionTimeoutMillis: 2_000,
    application_name: `${commandName()}, process ${process.pid}`,
  })
  // A broken connection also ends, which its user listens for.
  session.on('error', () => undefined)
  try {
    await session.connect()
    return session
  } catch (error) {
    await session.end()
    if (!(error instanceof DatabaseError)) return 'silent'
    if (error.code === CONNECTION_REFUSED_STATES.notNow) return 'busy'
    // Anything else, such as a wrong password, does not pass with time.
    throw operatorError(
      'embedded_failed',
      `Galley's own PostgreSQL in ${cluster.data} does not let Galley in: ${error.message}. Put the folder back as it was, or begin with an empty one in GALLEY_DATA_DIR.`,
      error,
    )
  }
}

/** The title that a command of `galley` gives its process; PostgreSQL keeps 63 bytes of it. */
const commandName = (): string =>
  process.title.startsWith('galley ') ? process.title.slice(0, 40) : 'galley'

/** Set on the command line so that no edited `postgresql.conf` weakens durability or access. */
function serverSettings({ socketDir }: Cluster, others: Record<string, string>): string[] {
  const values: Record<string, string> = {
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    port: String(PORT),
    listen_addresses: '',
    // A list; quoted, since a folder's name may hold a comma.
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Above ERROR: failed statements reach their caller and are no server events.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    ...others,
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** Starts the server in a session of its own, so that Ctrl-C does not stop it first. @param others replace settings */
export async function launchServer(cluster: Cluster, others: Record<string, string> = {}) {
  const { data, user, binaries } = cluster
  const before = await recordedServerPid(data)
  const log = openServerLog(cluster)
  const options: SpawnOptions = {
    cwd: data,
    uid: user?.uid,
    gid: user?.gid,
    detached: true,
    stdio: ['ignore', log, log],
    env: {
      ...programEnvironment(),
      // PostgreSQL refuses to start while the process in `postmaster.pid` lives. We checked that it
      // is no server of these data; pg_ctl says so in the same way.
      ...(before && { PG_GRANDPARENT_PID: String(before) }),
    },
  }
  const args = ['-D', data, ...serverSettings(cluster, others)]
  try {
    const child = spawn(binaries.postgres, args, options)
    await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    child.unref()
    return child
  } finally {
    closeSync(log)
  }
}

function openServerLog({ logFile, user }: Cluster): number {
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.1`)
  const log = openSync(logFile, 'a', 0o600)
  if (user) chownSync(logFile, user.uid, user.gid)
  return log
}
