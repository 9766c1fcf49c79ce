import { createHash, randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Pool } from 'pg'
import { createToken, isToken } from '../../secrets/index.ts'
import type { Blobs } from './blobs.ts'
import { type Expiring, removeFiles } from './expiry.ts'
import { fileGone } from './failures.ts'
import { folderOfBlobs } from './folder.ts'
import { announceRow, confirmRow, expireRows, type FileRow, findKeys, findRow, findServed } from './rows.ts'
import { bucketOfBlobs, type S3Settings } from './s3.ts'
import { spool } from './spool.ts'
import type { ServedFile, Storage } from './types.ts'

export interface StorageOptions {
  pool: Pool
  /** `GALLEY_DATA_DIR` */
  dataDir: string
  /** Where others reach Galley, without a trailing slash; asked when it is needed, since the system may choose the port. */
  publicUrl: () => string
  /** Days that files are kept; 0 for ever. */
  days: number
  /** Where new files lie; undefined for the data folder. Those that lie elsewhere are read from there. */
  s3?: S3Settings | undefined
}

/** What is kept, as it is removed when its time is over. */
export interface Places extends Expiring {
  /** Where files are written before they are anywhere. */
  unfinished: string
}

/** The files that Galley makes: their bytes in the data folder or in S3, and a row for each. */
export function createStorage({ pool, dataDir, publicUrl, days, s3 }: StorageOptions): Storage & Places {
  const root = join(dataDir, 'files')
  const unfinished = join(root, 'unfinished')
  /** By the first part of a row's key. */
  const blobs: Record<string, Blobs> = { folder: folderOfBlobs(root), ...(s3 && { s3: bucketOfBlobs(s3) }) }
  const chosen = s3 === undefined ? 'folder' : 's3'

  /** @throws GenerationError where it lies in a store that the settings do not name any more */
  function placeOf(key: string): { store: Blobs; name: string } {
    const [place = '', name = ''] = key.split('/')
    const store = blobs[place]
    if (store === undefined) throw fileGone()
    return { store, name }
  }

  const open = ({ key, bytes }: FileRow, range?: { start: number; end: number }) => {
    const { store, name } = placeOf(key)
    return store.open(name, bytes, range)
  }

  async function removeBlob(key: string): Promise<void> {
    const { store, name } = placeOf(key)
    await store.remove(name)
  }

  const known = async (token: string): Promise<FileRow> => {
    const row = await findRow(pool, token)
    if (row === undefined) throw fileGone()
    return row
  }

  const served = async (name: string): Promise<ServedFile | undefined> => {
    const [token = '', extension, ...more] = name.split('.')
    if (!isToken(token) || extension === undefined || more.length > 0) return undefined
    const row = await findServed(pool, token)
    if (row === undefined || !row.key.endsWith(`.${extension}`)) return undefined
    return {
      name,
      type: row.type,
      bytes: row.bytes,
      sha256: row.sha256.toString('hex'),
      createdAt: row.created_at,
      goesInMs: row.goes_in_ms,
      open: async (range) => open(row, range),
    }
  }

  return {
    pool,
    unfinished,
    served,
    removeBlob,

    async keep(file) {
      const { extension, type, body } = file
      if (!/^[a-z0-9]{1,8}$/.test(extension))
        throw new Error(`${extension} is not a file extension for an address`)
      const spooled = await spool(unfinished, body)
      const { path, bytes, sha256 } = spooled
      const token = createToken()
      const key = `${chosen}/${randomBytes(16).toString('hex')}.${extension}`
      try {
        await announceRow(pool, file, { token, key, bytes, sha256 })
        const { store, name } = placeOf(key)
        await store.place(name, spooled)
      } finally {
        await rm(path, { force: true })
      }
      // Only now can it be asked for: what a row names is there.
      if (!(await confirmRow(pool, token, { served: file.served, days }))) throw fileGone()
      return { token, url: file.served ? `${publicUrl()}/files/${token}.${extension}` : null, type, bytes }
    },

    async read(token) {
      const row = await known(token)
      const body = await buffer(await open(row))
      if (!createHash('sha256').update(body).digest().equals(row.sha256)) throw fileGone()
      return body
    },

    open: async (token) => open(await known(token)),

    async remove(tokens) {
      const rows = await findKeys(pool, tokens)
      const left = await removeFiles({ pool, removeBlob }, rows)
      if (left.length > 0) await expireRows(pool, left)
    },

    async own(url) {
      const name = nameAt(`${publicUrl()}/files/`, url)
      return name === undefined ? undefined : ((await served(name)) ?? 'gone')
    },
  }
}

/** The rest of an address that begins like another; undefined where it does not, or asks for more than a path. */
function nameAt(beginning: string, url: string): string | undefined {
  if (!URL.canParse(url) || !URL.canParse(beginning)) return undefined
  const base = new URL(beginning)
  const { href } = new URL(url)
  return href.startsWith(base.href) ? href.slice(base.href.length) : undefined
}
