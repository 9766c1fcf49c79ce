import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { exists, removeCluster } from '../../../src/database/embedded/folders.ts'
import { startEmbedded } from '../../../src/database/embedded/start.ts'

/** Linux keeps what lies there in memory. */
const IN_MEMORY = '/dev/shm'
/** More than a run takes; most of it is write-ahead log. */
const BYTES_NEEDED = 4 * 1024 ** 3

/** Where data folders of tests may lie. */
export const dataDirParents = [tmpdir(), IN_MEMORY]

/**
 * Where files cost least: a run makes hundreds of databases of a thousand files each, and on ext4 one that is made
 * soon after others were removed takes five times as long.
 */
export async function fastestParent(): Promise<string> {
  const there = await statfs(IN_MEMORY).catch(() => undefined)
  return there !== undefined && there.bavail * there.bsize > BYTES_NEEDED ? IN_MEMORY : tmpdir()
}

/** A data folder that does not exist yet. The next run removes those of killed processes. */
export const newDataDir = (parent = tmpdir()): string =>
  join(parent, `galley-test-${process.pid}-${randomBytes(4).toString('hex')}`)

/** The process that made the data folder of that name; undefined for any other folder. */
export function ownerPid(dataDirName: string): number | undefined {
  const pid = /^galley-test-(\d+)-/.exec(dataDirName)?.[1]
  return pid === undefined ? undefined : Number(pid)
}

/** A folder with mode 700. */
export const makePrivateDir = (): Promise<string> => mkdtemp(join(tmpdir(), 'galley-home-'))

/** Stops the server that a killed process may have left on a data folder. */
export async function stopLeftServer(dataDir: string): Promise<void> {
  // The password is written before the first start; a folder without one is half removed and has no server.
  if (!(await exists(join(dataDir, 'postgres', 'password')))) return
  const left = await startEmbedded({ dataDir, log: pino({ level: 'silent' }) })
  await left.stop()
}

/** Removes a data folder and what belongs to it elsewhere, whether a server still runs on it or not. */
export async function discardDataDir(dataDir: string): Promise<void> {
  await stopLeftServer(dataDir)
  await removeDataDir(dataDir)
}

/** Removes a data folder whose server has stopped. */
export async function removeDataDir(dataDir: string): Promise<void> {
  await removeCluster(join(dataDir, 'postgres'))
  await rm(dataDir, { recursive: true, force: true })
}
