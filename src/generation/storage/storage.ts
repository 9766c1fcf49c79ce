import { createHash, randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Pool } from 'pg'
import { createToken, isToken } from '../../secrets/index.ts'
import type { Blobs } from './blobs.ts'
import { folderOfBlobs } from './folder.ts'
import { type FileRow, findKeys, findRow, findServed, removeRows, storeRow } from './rows.ts'
import { spool } from './spool.ts'
import { fileGone } from './trouble.ts'
import type { ServedFile, Storage } from './types.ts'

export interface StorageOptions {
  pool: Pool
  /** `GALLEY_DATA_DIR` */
  dataDir: string
  /** Where others reach Galley, without a trailing slash; asked when it is needed, since the system may choose the port. */
  publicUrl: () => string
  /** Days that files are kept; 0 for ever. */
  days: number
}

/** What is kept, where it lies. */
export interface Places {
  pool: Pool
  /** By the first part of a row's key. */
  blobs: Record<string, Blobs>
  /** Where files are written before they are anywhere. */
  unfinished: string
}

/** The files that Galley makes: their bytes in the data folder, and a row for each. */
export function createStorage({ pool, dataDir, publicUrl, days }: StorageOptions): Storage & Places {
  const root = join(dataDir, 'files')
  const unfinished = join(root, 'unfinished')
  const blobs: Record<string, Blobs> = { folder: folderOfBlobs(root) }
  const kept = 'folder'

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
    blobs,
    unfinished,
    served,

    async keep(file) {
      const { extension, type, body } = file
      if (!/^[a-z0-9]{1,8}$/.test(extension)) throw new Error(`${extension} is no ending of an address`)
      const spooled = await spool(unfinished, body)
      const name = `${randomBytes(16).toString('hex')}.${extension}`
      try {
        await placeOf(`${kept}/${name}`).store.place(name, spooled)
      } finally {
        await rm(spooled.path, { force: true })
      }
      // Only now: what a row names is there. What no row names is removed one night (`expiry.ts`).
      const token = createToken()
      const { bytes, sha256 } = spooled
      await storeRow(pool, file, { token, key: `${kept}/${name}`, bytes, sha256, days })
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
      for (const { key } of rows) {
        const { store, name } = placeOf(key)
        await store.remove(name)
      }
      await removeRows(pool, tokens)
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
