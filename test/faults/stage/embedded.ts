import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Pool } from 'pg'
import { pino } from 'pino'
import { openCluster } from '../../../src/database/embedded/cluster.ts'
import { runningServerPid } from '../../../src/database/embedded/folders.ts'
import { connectionString } from '../../../src/database/embedded/start.ts'

const run = promisify(execFile)

/** A data folder on a small disk of its own, and what can befall the PostgreSQL that works there. */
export interface SmallDisk {
  dataDir: string
  /** A pool on its database; to be asked for once a Galley has made it. */
  connect(): Promise<Pool>
  /** Signals the server's first process. */
  signal(signal: NodeJS.Signals): Promise<void>
  /** Stops every process of the server where it stands, and lets it go on after so many milliseconds. */
  stall(ms: number): Promise<void>
  /**
   * Lets every fsync and fdatasync of the processes that serve now fail, for so many milliseconds or until the server
   * has restarted itself over it, as it does.
   */
  failFsync(ms: number): Promise<void>
  /** Leaves no byte free on the disk for so many milliseconds, or during a piece of work. */
  fill(time: number | (() => Promise<void>)): Promise<void>
  remove(): Promise<void>
}

/** Mounts the disk. @throws saying what the machine lacks for it */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk> {
  if (process.getuid?.() !== 0)
    throw new Error('This test mounts a small disk and traces PostgreSQL: run it on Linux, as root.')
  await run('strace', ['-V']).catch((cause: unknown) => {
    throw new Error('This test lets fsync fail with strace: apt-get install strace.', { cause })
  })
  const disk = await mkdtemp(join(tmpdir(), 'galley-disk-'))
  await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', disk])
  const dataDir = join(disk, 'data')
  const cluster = () => openCluster(dataDir, pino({ level: 'silent' }))

  /** All processes of the server, its first one first. */
  const processes = async (): Promise<number[]> => {
    const pid = await runningServerPid((await cluster()).data)
    return pid === undefined ? [] : [pid, ...(await childrenOf(pid))]
  }
  const toAll = (pids: number[], signal: NodeJS.Signals) => {
    for (const pid of pids) signalIfThere(pid, signal)
  }
  return {
    dataDir,
    async connect() {
      const pool = new Pool({
        connectionString: connectionString(await cluster(), 'galley'),
        max: 2,
      })
      pool.on('error', () => undefined)
      return pool
    },
    async signal(signal) {
      const [postmaster] = await processes()
      if (postmaster !== undefined) process.kill(postmaster, signal)
    },
    async stall(ms) {
      const pids = await processes()
      toAll(pids, 'SIGSTOP')
      await wait(ms)
      toAll(pids, 'SIGCONT')
    },
    async failFsync(ms) {
      // Not the first process: one that is traced can miss the end of its children, which it has to hear of.
      const [, ...workers] = await processes()
      const targets = workers.flatMap((pid) => ['-p', String(pid)])
      const inject = ['-qq', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync']
      const strace = spawn('strace', [...inject, '-e', 'inject=fsync,fdatasync:error=EIO', ...targets], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      const ended = once(strace, 'close')
      await once(strace, 'spawn')
      await wait(ms)
      strace.kill('SIGINT')
      await ended
    },
    async fill(time) {
      const filler = join(disk, 'filler')
      await writeFile(filler, Buffer.alloc(megabytes * 1024 * 1024)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOSPC') throw error
      })
      await (typeof time === 'number' ? wait(time) : time()).finally(() => rm(filler))
    },
    async remove() {
      toAll(await processes(), 'SIGKILL')
      await wait(500)
      await run('umount', ['-l', disk])
      await rm(disk, { recursive: true })
    },
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  const found = await Promise.all(
    pids.map(async (pid) => {
      // A process may end while we look.
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent ? pid : null
    }),
  )
  return found.filter((pid) => pid !== null)
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
