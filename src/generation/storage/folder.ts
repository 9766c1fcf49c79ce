import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { hasCode } from '../../errno.ts'
import type { Blobs } from './blobs.ts'
import { asking, fileGone, storageFailed } from './failures.ts'
import { FOLDER } from './spool.ts'

/** Where files lie in the data folder: spread over 256 folders by the first two characters of their names. */
export function folderOfBlobs(root: string): Blobs {
  const pathOf = (name: string) => join(root, name.slice(0, 2), name)
  return {
    place: (name, { path }) =>
      asking(FOLDER, 'written', async () => {
        const target = pathOf(name)
        const folder = dirname(target)
        const made = await mkdir(folder, { recursive: true, mode: 0o700 })
        await rename(path, target)
        // A name is on disk when its folder is, and a folder when the one above it is.
        await syncFolder(folder)
        if (made === undefined) return
        await syncFolder(root)
        await syncFolder(dirname(root))
      }),

    async open(name, bytes, range): Promise<Readable> {
      const handle = await asking(FOLDER, 'read', () =>
        open(pathOf(name)).catch((error) => {
          throw hasCode(error, 'ENOENT') ? fileGone(error) : error
        }),
      )
      const { size } = await asking(FOLDER, 'read', () => handle.stat())
      if (size === bytes) return handle.createReadStream(range)
      await handle.close()
      throw storageFailed(FOLDER, 'read', new Error(`it has ${size} bytes instead of ${bytes}`))
    },

    remove: (name) => asking(FOLDER, 'removed', () => rm(pathOf(name), { force: true })),
  }
}

/** Windows has no such thing: there, a folder cannot be opened, and NTFS keeps a journal of names. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
