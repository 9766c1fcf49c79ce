import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { chownSync, closeSync, existsSync, openSync, renameSync } from 'node:fs'
import type { Cluster } from './cluster.ts'
import { recordedPostmaster } from './postmaster.ts'
import { programEnvironment } from './programs.ts'

/**
 * Settings that the command line fixes, so that no edited `postgresql.conf` weakens them: an acknowledged webhook is
 * on the disk, and nobody but this machine's user gets in.
 */
function settings({ socketDir }: Cluster, port: number, others: Record<string, string>): string[] {
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
export async function launch(
  cluster: Cluster,
  port: number,
  others: Record<string, string> = {},
): Promise<ChildProcess> {
  const { data, user, binaries, logFile } = cluster
  const before = await recordedPostmaster(data)
  const log = openLog(cluster)
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
  const args = ['-D', data, ...settings(cluster, port, others)]
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

function openLog({ logFile, user }: Cluster): number {
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.1`)
  const log = openSync(logFile, 'a', 0o600)
  if (user) chownSync(logFile, user.uid, user.gid)
  return log
}
