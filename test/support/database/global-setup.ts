import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { openCluster } from '../../../src/database/embedded/cluster.ts'
import { isAlive, runningServerPid } from '../../../src/database/embedded/folders.ts'
import { launchServer, startEmbedded } from '../../../src/database/embedded/start.ts'
import { migrate } from '../../../src/database/migrations.ts'
import { startOnce } from '../start-once.ts'
import {
  dataDirParents,
  discardDataDir,
  fastestParent,
  newDataDir,
  ownerPid,
  removeDataDir,
} from './data-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of a migrated database that `freshDatabase` copies; nobody else connects to it. */
    templateDatabase: string
  }
}

const log = pino({ level: 'warn' })

/**
 * Not safe against a power cut, which does not matter here: on a busy disk, creating or dropping a database otherwise
 * waits half a second. Safe against killed processes.
 */
const withoutSync = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/** One embedded PostgreSQL for the whole run, in a folder of its own, gone when the run ends. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const [{ connectionString, stop }, isFirst] = await startOnce('PostgreSQL', startPostgres)
  project.provide('templateDatabase', connectionString)
  return async () => {
    if (isFirst) await stop()
  }
}

async function startPostgres(): Promise<{ connectionString: string; stop: () => Promise<void> }> {
  await removeAbandoned()
  const dataDir = newDataDir(await fastestParent())
  const cluster = await openCluster(dataDir, log)
  await launchServer(cluster, withoutSync)
  while (!(await runningServerPid(cluster.data))) await sleep(25)
  const server = await startEmbedded({ dataDir, log })
  const { connectionString } = server
  await migrate({ connectionString, log })
  // What workers bundle, each program once for all of them (test/faults/stage/child.ts). It ends with the run, as the server.
  const bundles = fileURLToPath(new URL(`../../../.cache/bundles/${randomUUID()}`, import.meta.url))
  process.env.GALLEY_TEST_BUNDLES = bundles
  const behind = () => {
    rmSync(bundles, { recursive: true, force: true })
    discardLater(dataDir)
  }
  process.once('exit', behind)
  const stop = async () => {
    await server.stop()
    await removeDataDir(dataDir)
    await rm(bundles, { recursive: true, force: true })
    process.off('exit', behind)
  }
  return { connectionString, stop }
}

/** After Ctrl-C, Vitest ends without tearing down, and the server would run on, with everything in memory. */
function discardLater(dataDir: string): void {
  const program = fileURLToPath(new URL('discard.ts', import.meta.url))
  spawn(process.execPath, ['--import', 'tsx', program, dataDir], { detached: true, stdio: 'ignore' }).unref()
}

/** Data folders of runs that were killed, whose servers run on. */
async function removeAbandoned(): Promise<void> {
  for (const parent of dataDirParents) {
    // not every system has each of them
    for (const name of await readdir(parent).catch(() => [])) await removeIfAbandoned(parent, name)
  }
}

async function removeIfAbandoned(parent: string, name: string): Promise<void> {
  const pid = ownerPid(name)
  if (pid === undefined || isAlive(pid)) return
  // Another run may be removing the same folder, or was killed while it did; this run goes on.
  await discardDataDir(join(parent, name)).catch((err: unknown) => {
    log.warn({ err }, `${name}, of a run that was killed, could not be removed`)
  })
}
