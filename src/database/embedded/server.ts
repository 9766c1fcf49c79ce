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

/** A running server, and a connection to its database `postgres`. */
export interface RunningServer {
  session: Client
  postmaster: Postmaster
  /** Whether it ran already: left behind by a Galley that was killed. */
  adopted: boolean
}

const START_LIMITS = {
  /** For a server that runs but does not answer at all. */
  silence: 30_000,
  /** For one that answers that it is starting (recovering) or stopping. */
  recovery: 600_000,
  /** Between lines that say that we still wait. */
  progress: 2_000,
  /** Starts in a row that may fail: leftovers of a killed server need a moment to notice. */
  launches: 10,
}

/**
 * Brings the cluster's server to the point where it answers: adopts the one that runs, or starts it on `port`.
 *
 * @param onLaunched called when it has been started and is waited for
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

/** What it wrote last. On a full disk it could not even write that. */
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

/** Where a client finds a database of the cluster's server. */
export function connectionString(cluster: Cluster, port: number, database: string): string {
  const url = new URL(`postgresql://galley:${cluster.password}@localhost:${port}/${database}`)
  if (cluster.socketDir) url.searchParams.set('host', cluster.socketDir)
  url.searchParams.set('sslmode', 'disable')
  return url.href
}

/** Sockets are told apart by their folder, and all have PostgreSQL's own number; TCP needs a port that nobody has. */
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
 * Opens a connection to the database `postgres`: `busy` where the server asks to come back later, `silent` where
 * nobody answers.
 */
async function openSession(cluster: Cluster, port: number): Promise<Client | 'busy' | 'silent'> {
  const session = new Client({
    connectionString: connectionString(cluster, port, 'postgres'),
    connectionTimeoutMillis: 2_000,
    application_name: `galley, process ${process.pid}`,
  })
  // What breaks the connection also ends it, which is what its user listens for.
  session.on('error', () => undefined)
  try {
    await session.connect()
    return session
  } catch (error) {
    await session.end()
    if (!(error instanceof DatabaseError)) return 'silent'
    if (error.code === CONNECTION_REFUSED_STATES.notNow) return 'busy'
    // Anything else that the server says, a wrong password above all, does not pass with time.
    throw new GalleyError({
      code: 'embedded_failed',
      message: `Galley's own PostgreSQL in ${cluster.data} does not let Galley in: ${error.message}. Put the folder back as it was, or begin with an empty one in GALLEY_DATA_DIR.`,
      action: 'owner',
      cause: error,
    })
  }
}

/**
 * Settings that the command line fixes, so that no edited `postgresql.conf` weakens them: an acknowledged webhook is
 * on the disk, and nobody but this machine's user gets in.
 */
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
    // Above ERROR: a failed statement reaches whoever made it, and is no event of the server.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    ...others,
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/**
 * Starts the server, in a session of its own: the Ctrl-C that stops Galley must not reach PostgreSQL before Galley has
 * finished with it. Its messages go to `server.log`, beside that of the start before.
 *
 * @param others settings that take the place of Galley's own: for a server whose data nobody keeps
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
      // PostgreSQL does not start while the process that `postmaster.pid` names is alive, and after a reboot that
      // may be anybody. We have made sure that it is no server of these data; this is how pg_ctl, too, says so.
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
