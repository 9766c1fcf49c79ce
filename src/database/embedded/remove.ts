import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exists } from './files.ts'

/** Removes a folder, and the data that it says are kept elsewhere. No server may be running on them. */
export async function removeCluster(folder: string): Promise<void> {
  const location = join(folder, 'location')
  if (await exists(location)) await rm(await readFile(location, 'utf8'), { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
}
