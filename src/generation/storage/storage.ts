import { createHash, randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Pool } from 'pg'
import type { Semaphore } from '../../bytes/budget.ts'
import { createTimedTask, type WorkFactory } from '../../jobs/job.ts'
import type { Logger } from '../../log/log.ts'
import { createToken, isToken } from '../../secrets/keyring.ts'
import {
  type BlobStore,
  fileGone,
  folderBlobStore,
  type S3Settings,
  s3BlobStore,
  spoolToDisk,
} from './blobs.ts'
import {
  confirmFile,
  type ExpiryTarget,
  type FileRow,
  findFile,
  IS_SERVED,
  insertPendingFile,
  removeExpired,
  removeUnfinished,
} from './file-rows.ts'

export interface NewFile {
  accountId: string
  /** Its MIME type, as it is served. */
  type: string
  /** `png`, `mp3`: the ending of its address. Lower-case letters and digits. */
  extension: string
  body: Buffer | AsyncIterable<Buffer>
  /** Whether it is served at its address, or kept for a job alone. */
  served: boolean
}

interface StoredFileRef {
  /** The last part of its address, without the ending; how a row names it. */
  token: string
  /** Where it is served, if it is. */
  url: string
}

/** Some of the bytes of a file: from the first to the last of these, counted from 0, both included. */
export interface ByteRange {
  start: number
  end: number
}

/** A file as whoever knows its address gets it. Nothing of it is in memory yet. */
export interface ServedFile extends Pick<FileRow, 'type' | 'bytes' | 'sha256' | 'createdAt' | 'expiresInMs'> {
  name: string
  /** To be read to the end or destroyed. @throws GenerationError `STORAGE_FAILED` where it is unreadable */
  open(range?: ByteRange): Promise<Readable>
}

/** Where files that Galley makes are kept: the data folder, or a store that speaks S3. */
export interface Storage {
  /** Stores a file durably, or nothing of it. @throws GenerationError `STORAGE_FAILED`; what `body` throws */
  keep(file: NewFile): Promise<StoredFileRef>
  /** The whole of a file. @throws GenerationError `STORAGE_FAILED` where it is gone or cannot be read */
  read(token: string): Promise<Buffer>
  /** The file of this name, `<token>.<extension>`, where one is served and its time is not over. */
  served(name: string): Promise<ServedFile | undefined>
  /** The file at one of our addresses; `gone` where there is none; undefined for a foreign address. */
  own(url: string): Promise<ServedFile | 'gone' | undefined>
}

export interface StorageOptions {
  pool: Pool
  dataDir: string
  /** Where others reach Galley, without a trailing slash; asked when it is needed, since the system may choose the port. */
  publicUrl: () => string
  /** Days that files are kept; 0 for ever. */
  days: number
  /** Where new files lie; undefined for the data folder. Those that lie elsewhere are read from there. */
  s3?: S3Settings | undefined
}

export interface StorageMaintenance extends ExpiryTarget {
  /** Where files are written before they are anywhere. */
  unfinished: string
}

/** The files that Galley makes: their bytes in the data folder or in S3, and a row for each. */
export function createStorage({
  pool,
  dataDir,
  publicUrl,
  days,
  s3,
}: StorageOptions): Storage & StorageMaintenance {
  const root = join(dataDir, 'files')
  const unfinished = join(root, 'unfinished')
  /** By the first part of a row's key. */
  const blobs: Record<string, BlobStore> = {
    folder: folderBlobStore(root),
    ...(s3 && { s3: s3BlobStore(s3) }),
  }
  const chosen = s3 === undefined ? 'folder' : 's3'

  /** @throws GenerationError where it lies in a store that the settings do not name any more */
  function placeOf(key: string): { store: BlobStore; name: string } {
    const [place = '', name = ''] = key.split('/')
    const store = blobs[place]
    if (store === undefined) throw fileGone()
    return { store, name }
  }

  const open = ({ key, bytes }: FileRow, range?: ByteRange) => {
    const { store, name } = placeOf(key)
    return store.open(name, bytes, range)
  }

  const removeBlob = async (key: string): Promise<void> => {
    const { store, name } = placeOf(key)
    await store.remove(name)
  }

  const served = async (name: string): Promise<ServedFile | undefined> => {
    const [token = '', extension, ...more] = name.split('.')
    if (!isToken(token) || extension === undefined || more.length > 0) return undefined
    const row = await findFile(pool, token, IS_SERVED)
    if (row === undefined || !row.key.endsWith(`.${extension}`)) return undefined
    return { ...row, name, open: async (range) => open(row, range) }
  }

  return {
    pool,
    unfinished,
    served,
    removeBlob,

    async keep(file) {
      const { extension } = file
      const spooled = await spoolToDisk(unfinished, file.body)
      const { path, bytes, sha256 } = spooled
      const token = createToken()
      const key = `${chosen}/${randomBytes(16).toString('hex')}.${extension}`
      try {
        await insertPendingFile(pool, file, { token, key, bytes, sha256 })
        const { store, name } = placeOf(key)
        await store.put(name, spooled)
      } finally {
        await rm(path, { force: true })
      }
      // Only now can it be asked for: what a row names is there.
      if (!(await confirmFile(pool, token, { served: file.served, days }))) throw fileGone()
      return { token, url: `${publicUrl()}/files/${token}.${extension}` }
    },

    async read(token) {
      const row = await findFile(pool, token)
      if (row === undefined) throw fileGone()
      const body = await buffer(await open(row))
      if (createHash('sha256').update(body).digest('hex') !== row.sha256) throw fileGone()
      return body
    },

    async own(url) {
      const name = fileNameAt(`${publicUrl()}/files/`, url)
      return name === undefined ? undefined : ((await served(name)) ?? 'gone')
    },
  }
}

/** The rest of an address that begins like another; undefined where it does not, or asks for more than a path. */
function fileNameAt(beginning: string, url: string): string | undefined {
  if (!URL.canParse(url) || !URL.canParse(beginning)) return undefined
  const base = new URL(beginning)
  const { href } = new URL(url)
  return href.startsWith(base.href) ? href.slice(base.href.length) : undefined
}

/** Finds stored files by address, for whoever delivers them. @param lane that held files count against */
export const storedFileFinder = (storage: Storage, lane: Semaphore) => async (url: string) => {
  const file = await storage.own(url)
  if (file === undefined || file === 'gone') return file
  /** The whole of it, counted until it is released. @throws GalleyError `memory_busy`, `STORAGE_FAILED` */
  const hold = async () => {
    const share = await lane.take(file.bytes)
    try {
      return { body: await buffer(await file.open()), release: () => share.release() }
    } catch (error) {
      share.release()
      throw error
    }
  }
  return { type: file.type, bytes: file.bytes, open: file.open, hold }
}

/** What the storage needs done: the removal of what is old, every night. */
export const storageWork =
  (storage: StorageMaintenance, log: Logger): WorkFactory =>
  () => ({
    tasks: [
      createTimedTask('file_expiry', '37 3 * * *', async () => {
        const { removed, left } = await removeExpired(storage)
        const unfinished = await removeUnfinished(storage.unfinished)
        log.info({ removed, unfinished }, 'removed expired files')
        if (left > 0)
          log.warn({ left }, 'some expired files could not be removed; they are tried again the next night')
      }),
    ],
  })
