import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { chownSync, closeSync, existsSync, openSync, renameSync } from 'node:fs'
import { readFile, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { GalleyError } from '../../errors.ts'
import type { DatabaseLog } from '../client.ts'
import { CONNECTION_REFUSED_STATES } from '../errors.ts'
import type { Cluster } from './cluster.ts'
import { type Postmaster, recordedPostmaster, runningPostmaster } from './postmaster.ts'
import { programEnvironment, programFailed } from './server-user.ts'

export interface RunningServer {
  session: Client
  postmaster: Postmaster
  /** Whether it was already running, left by a killed Galley. */
  adopted: boolean
}

const START_LIMITS = {
  silence: 30_000,
  recovery: 600_000,
  /** Between progress lines. */
  progress: 2_000,
  /** Failed starts in a row: leftovers of a killed server need a moment to notice. */
  launches: 10,
}

/**
 * Adopts the running server, or starts one on `port`, and waits until it answers.
 *
 * @param onLaunched called when the server was started and is waited for
 */
export async function ensureServer(
  cluster: Cluster,
  port: number,
  log: DatabaseLog,
  onLaunched?: () => void,
): Promise<RunningServer> {
  const began = performance.now()
  let lastAnswer = began
  let lastLine = began
  let launches = 0
  let launched: ChildProcess | undefined

  for (;;) {
    const postmaster = await runningPostmaster(cluster.data)
    if (postmaster) {
      const session = await openSession(cluster, postmaster.port)
      if (session instanceof Client) return { session, postmaster, adopted: launched === undefined }
      if (session === 'busy') lastAnswer = performance.now()
    } else if (!launched || launched.exitCode !== null || launched.signalCode !== null) {
      if (launches === START_LIMITS.launches) throw programFailed('postgres', await serverLogTail(cluster))
      if (launches > 0) await sleep(500)
      launches += 1
      launched = await launchServer(cluster, port).catch((cause: Error) => {
        throw programFailed('postgres', cause.message, cause)
      })
      onLaunched?.()
    }
    const now = performance.now()
    if (now - lastAnswer > START_LIMITS.silence || now - began > START_LIMITS.recovery)
      throw notAnswering(cluster, postmaster)
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

function notAnswering(cluster: Cluster, postmaster: Postmaster | undefined): GalleyError {
  const who = postmaster ? `process ${postmaster.pid}` : 'no process yet'
  return new GalleyError({
    code: 'embedded_failed',
    message:
      `Galley's own PostgreSQL (${who}) in ${cluster.data} does not answer. ` +
      `Look at ${cluster.logFile}; if the process hangs, stop it and start Galley again.`,
    action: 'owner',
  })
}

export function connectionString(cluster: Cluster, port: number, database: string): string {
  const url = new URL(`postgresql://galley:${cluster.password}@localhost:${port}/${database}`)
  if (cluster.socketDir) url.searchParams.set('host', cluster.socketDir)
  url.searchParams.set('sslmode', 'disable')
  return url.href
}

/** Socket folders differ, so the port is PostgreSQL's own; TCP needs a free port. */
export async function choosePort({ socketDir }: Cluster): Promise<number> {
  if (socketDir) return 5432
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port')
  return address.port
}

/**
 * Connects to the database `postgres`. `busy`: the server starts or stops; `silent`: nobody
 * answers.
 */
async function openSession(cluster: Cluster, port: number): Promise<Client | 'busy' | 'silent'> {
  const session = new Client({
    connectionString: connectionString(cluster, port, 'postgres'),
    connectionTimeoutMillis: 2_000,
    application_name: `galley, process ${process.pid}`,
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
    throw new GalleyError({
      code: 'embedded_failed',
      message: `Galley's own PostgreSQL in ${cluster.data} does not let Galley in: ${error.message}. Put the folder back as it was, or begin with an empty one in GALLEY_DATA_DIR.`,
      action: 'owner',
      cause: error,
    })
  }
}

/** Set on the command line so that no edited `postgresql.conf` weakens durability or access. */
function serverSettings({ socketDir }: Cluster, port: number, others: Record<string, string>): string[] {
  const values: Record<string, string> = {
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    port: String(port),
    listen_addresses: socketDir ? '' : '127.0.0.1',
    // A list; quoted, since a folder's name may hold a comma.
    unix_socket_directories: socketDir ? `"${socketDir.replaceAll('"', '""')}"` : '',
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

/**
 * Starts the server in a session of its own, so that Ctrl-C does not stop it before Galley.
 * Messages go to `server.log`; the previous log is kept.
 *
 * @param others replace Galley's settings, for a server whose data nobody keeps
 */
export async function launchServer(
  cluster: Cluster,
  port: number,
  others: Record<string, string> = {},
): Promise<ChildProcess> {
  const { data, user, binaries, logFile } = cluster
  const before = await recordedPostmaster(data)
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
      ...(before && { PG_GRANDPARENT_PID: String(before.pid) }),
    },
  }
  const args = ['-D', data, ...serverSettings(cluster, port, others)]
  try {
    const child =
      process.platform === 'win32'
        ? // Drops the administrator's rights, which PostgreSQL refuses.
          spawn(binaries.pgCtl, ['start', '-D', data, '-l', logFile, '-o', args.slice(2).join(' ')], options)
        : spawn(binaries.postgres, args, options)
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
