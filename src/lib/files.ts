import { open } from 'node:fs/promises'
import { hasErrnoCode } from '../errors.ts'

/** Makes changes in a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}

/** For `catch` of a read: undefined where there is no such file. */
export function unlessMissing(error: unknown): undefined {
  if (!hasErrnoCode(error, 'ENOENT')) throw error
}
