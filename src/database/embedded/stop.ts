import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { GalleyError } from '../../errors.ts'
import type { Cluster } from './cluster.ts'
import { isServerOf, runningPostmaster } from './postmaster.ts'
import { runProgram } from './programs.ts'

/** Milliseconds; the final checkpoint has to reach the disk. */
const patience = 60_000

/** PostgreSQL's "fast" shutdown: sessions end, transactions roll back, everything reaches the disk. */
export async function stopServer(cluster: Cluster): Promise<void> {
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
  const deadline = performance.now() + patience
  while (await isServerOf(server.pid, cluster.data)) {
    if (performance.now() > deadline) {
      throw new GalleyError({
        code: 'embedded_failed',
        message: `Galley's own PostgreSQL (process ${server.pid}) did not stop within ${patience / 1000} s; look at ${cluster.logFile}.`,
        action: 'owner',
      })
    }
    await sleep(25)
  }
  // Made again at every start; where it had to be in /tmp, nobody else would remove it.
  if (cluster.socketDir) await rm(cluster.socketDir, { recursive: true, force: true })
}
