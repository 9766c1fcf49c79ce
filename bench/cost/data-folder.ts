import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeDataDir } from '../../test/support/database/data-folder.ts'

/** An empty data folder for `work`, gone afterwards. */
export async function withDataFolder<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'galley-bench-'))
  try {
    return await work(dataDir)
  } finally {
    await removeDataDir(dataDir)
  }
}
