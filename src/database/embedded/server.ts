import type { ChildProcess } from 'node:child_process'
import { readFile, statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { GalleyError } from '../../errors.ts'
import type { Log } from '../log.ts'
import type { Cluster } from './cluster.ts'
import { launch } from './launch.ts'
import { type Postmaster, runningPostmaster } from './postmaster.ts'
import { programFailed } from './programs.ts'
import { openSession } from './session.ts'

/** A running server, and a connection to its database `postgres`. */
export interface Server {
  session: Client
  postmaster: Postmaster
  /** Whether it ran already: left behind by a Galley that was killed. */
  adopted: boolean
}

const patience = {
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
export async function bringUp(
  cluster: Cluster,
  port: number,
  log: Log,
  onLaunched?: () => void,
): Promise<Server> {
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
      if (launches === patience.launches) throw programFailed('postgres', await lastWords(cluster))
      if (launches > 0) await sleep(500)
      launches += 1
      launched = await launch(cluster, port).catch((cause: Error) => {
        throw programFailed('postgres', cause.message, cause)
      })
      onLaunched?.()
    }
    const now = performance.now()
    if (now - lastAnswer > patience.silence || now - began > patience.recovery)
      throw notAnswering(cluster, postmaster)
    if (now - lastLine > patience.progress) {
      log.info(`Waiting for the database in ${cluster.data} (${Math.round((now - began) / 1000)} s)`)
      lastLine = now
    }
    await sleep(25)
  }
}

/** What it wrote last. On a full disk it could not even write that. */
async function lastWords({ data, logFile }: Cluster): Promise<string> {
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
