import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { asking, fileTooLarge } from './failures.ts'

/** A file that was written whole, under a name that nothing else knows. */
export interface Spooled {
  path: string
  bytes: number
  sha256: Buffer
}

/** What the column `bytes` holds at most. */
const MOST_BYTES = 2 ** 31 - 1

export const FOLDER = 'the data folder'

/**
 * Writes a file as it comes, and resolves when all of it is on disk. What is left of one whose process ended meanwhile
 * lies in this folder alone, where nobody looks for files.
 *
 * @throws GenerationError `STORAGE_FAILED`; what `body` itself throws
 */
export async function spool(folder: string, body: Buffer | AsyncIterable<Buffer>): Promise<Spooled> {
  const onDisk = <Result>(work: () => Promise<Result>) => asking(FOLDER, 'written', work)
  const path = join(folder, randomBytes(12).toString('hex'))
  const handle = await onDisk(async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return open(path, 'wx', 0o600)
  })
  const hash = createHash('sha256')
  let bytes = 0
  try {
    for await (const piece of Buffer.isBuffer(body) ? [body] : body) {
      bytes += piece.length
      if (bytes > MOST_BYTES) throw fileTooLarge()
      hash.update(piece)
      await onDisk(() => handle.writeFile(piece))
    }
    await onDisk(() => handle.sync())
    await onDisk(() => handle.close())
  } catch (error) {
    await handle.close().catch(() => undefined)
    await rm(path, { force: true }).catch(() => undefined)
    throw error
  }
  return { path, bytes, sha256: hash.digest() }
}
