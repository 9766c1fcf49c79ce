import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { exists } from '../../../src/database/embedded/files.ts'
import { removeCluster } from '../../../src/database/embedded/remove.ts'
import { startEmbedded } from '../../../src/database/embedded/start.ts'

/** A parent for data folders, which nobody else may enter. */
export const makeParent = (): Promise<string> => mkdtemp(join(tmpdir(), 'galley-embedded-'))

/** Stops the server that a killed process may have left on a data folder. */
export async function stopLeftServer(dataDir: string): Promise<void> {
  if (!(await exists(join(dataDir, 'postgres')))) return
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
