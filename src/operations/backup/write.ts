import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Manifest } from './manifest.ts'

/**
 * Writes one file of a backup, readable by its owner alone, and on disk when this resolves.
 *
 * @returns how the manifest knows it
 */
export async function writePart(
  folder: string,
  path: string,
  content: AsyncIterable<string | Uint8Array>,
  ...transforms: Transform[]
): Promise<Manifest['contents'][string]> {
  const target = join(folder, path)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const hash = createHash('sha256')
  let bytes = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  await pipeline([
    Readable.from(content),
    ...transforms,
    counted,
    createWriteStream(target, { mode: 0o600, flags: 'wx', flush: true }),
  ])
  return { bytes, sha256: hash.digest('hex') }
}

/** What was made in a folder survives a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}
