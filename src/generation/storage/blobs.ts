import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { hasErrnoCode } from '../../errors.ts'
import { syncFolder } from '../../lib/files.ts'
import { GenerationError, jobFailure } from '../failure.ts'
import type { ByteRange } from './storage.ts'

/** Where bytes lie, by a name that says nothing of them: one folder, or one bucket. It knows nothing of rows. */
export interface BlobStore {
  /** Takes a file that was written whole; it is there for good, or not at all. @throws GenerationError */
  put(name: string, spooled: SpooledFile): Promise<void>
  /** @throws GenerationError `STORAGE_FAILED` where it is not there, or has not as many bytes as it had */
  open(name: string, bytes: number, range?: ByteRange): Promise<Readable>
  /** Removes it. One that is gone already is no failure. @throws GenerationError `STORAGE_FAILED` */
  remove(name: string): Promise<void>
}

/** Words for what a file system says in codes, where a person can do something about it. */
const fsErrorText: Record<string, string> = {
  ENOSPC: 'there is no space left',
  EDQUOT: 'its quota is used up',
  EROFS: 'it is read-only',
  EACCES: 'Galley has no right to it',
  EPERM: 'Galley has no right to it',
  EMFILE: 'this process has too many files open',
}

function storageErrorText(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return fsErrorText[code] ?? (code || (cause instanceof Error ? cause.name : 'it did not answer'))
}

/** The file is not there any more, and asking again will not bring it back. */
export const fileGone = (cause?: unknown): GenerationError =>
  jobFailure(
    'STORAGE_FAILED',
    'A file that belongs to this is not in the storage any more. Ask for it to be created again.',
    { cause },
  )

async function withStorageErrors<Result>(store: string, doing: string, work: () => Promise<Result>) {
  try {
    return await work()
  } catch (cause) {
    throw storageFailure(store, doing, cause)
  }
}

function storageFailure(store: string, doing: string, cause: unknown): GenerationError {
  if (cause instanceof GenerationError) return cause
  // What was asked of it may be asked again, once its operator has put it right.
  return new GenerationError({
    reason: 'STORAGE_FAILED',
    of: 'provider',
    message: `A file could not be ${doing}: ${store} failed (${storageErrorText(cause)}). It is tried again; if this keeps happening, the operator of Galley has to look at it.`,
    cause,
  })
}

/** The same bytes. A connection that breaks while they come is the store's failure, and not taken for the database's. */
function withStreamErrors(store: string, body: Readable): Readable {
  async function* pieces() {
    try {
      yield* body
    } catch (cause) {
      throw storageFailure(store, 'read', cause)
    }
  }
  return Readable.from(pieces(), { objectMode: false }).once('close', () => body.destroy())
}

/** A file that was written whole, under a name that nothing else knows. */
interface SpooledFile {
  path: string
  bytes: number
  sha256: Buffer
}

/** What the column `bytes` holds at most. */
const MAX_FILE_BYTES = 2 ** 31 - 1

const FOLDER_STORE = 'the data folder'

/** Writes a file as it comes, in a folder where nobody looks for files. @throws GenerationError `STORAGE_FAILED` */
export async function spoolToDisk(
  folder: string,
  body: Buffer | AsyncIterable<Buffer>,
): Promise<SpooledFile> {
  const onDisk = <Result>(work: () => Promise<Result>) => withStorageErrors(FOLDER_STORE, 'written', work)
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
      if (bytes > MAX_FILE_BYTES)
        throw jobFailure(
          'STORAGE_FAILED',
          'A file became larger than 2 GB, which is more than Galley keeps. Ask for less.',
        )
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

/** Where files lie in the data folder: spread over 256 folders by the first two characters of their names. */
export function folderBlobStore(root: string): BlobStore {
  const pathOf = (name: string) => join(root, name.slice(0, 2), name)
  return {
    put: (name, { path }) =>
      withStorageErrors(FOLDER_STORE, 'written', async () => {
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

    open: (name, bytes, range): Promise<Readable> =>
      withStorageErrors(FOLDER_STORE, 'read', async () => {
        const handle = await open(pathOf(name)).catch((error) => {
          throw hasErrnoCode(error, 'ENOENT') ? fileGone(error) : error
        })
        const { size } = await handle.stat()
        if (size === bytes) return withStreamErrors(FOLDER_STORE, handle.createReadStream(range))
        await handle.close()
        throw new Error(`it has ${size} bytes instead of ${bytes}`)
      }),

    remove: (name) => withStorageErrors(FOLDER_STORE, 'removed', () => rm(pathOf(name), { force: true })),
  }
}

/** A bucket of a store that speaks S3, as the operator names it. */
export interface S3Settings {
  bucket: string
  /** Undefined: Amazon's own, of the region. */
  endpoint: string | undefined
  region: string
  /** Undefined: as the SDK finds them, in its usual variables or from the machine's role. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined
  /** Put before every name, such as `galley/`. */
  prefix: string
}

const S3_STORE = 'the S3 store'

/** The SDK writes to the console otherwise; what fails is told by the error that it throws. */
const silentLogger = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

/** Milliseconds for a connection, and of silence in an exchange. */
const S3_TIMEOUTS_MS = { connectionTimeout: 5_000, socketTimeout: 30_000 }

/** Beside the outbound guard: its address comes from the operator, and may well be inside the network. */
export function s3BlobStore({ bucket, endpoint, region, credentials, prefix }: S3Settings): BlobStore {
  const load = async () => {
    const sdk = await import('@aws-sdk/client-s3')
    const client: S3Client = new sdk.S3Client({
      region,
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      ...(credentials !== undefined && { credentials }),
      // What the SDK does unasked since 2025 is unknown to many stores that speak S3.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: S3_TIMEOUTS_MS,
      logger: silentLogger,
    })
    return { sdk, client }
  }
  let loaded: ReturnType<typeof load> | undefined
  const s3 = () => {
    loaded ??= load()
    return loaded
  }
  const at = (name: string) => ({ Bucket: bucket, Key: `${prefix}${name}` })

  return {
    put: (name, { path, bytes }) =>
      withStorageErrors(S3_STORE, 'written', async () => {
        const { sdk, client } = await s3()
        const Body = createReadStream(path)
        try {
          await client.send(new sdk.PutObjectCommand({ ...at(name), Body, ContentLength: bytes }))
        } finally {
          Body.destroy()
        }
      }),

    open: (name, bytes, range): Promise<Readable> =>
      withStorageErrors(S3_STORE, 'read', async () => {
        const { sdk, client } = await s3()
        const part = range && { Range: `bytes=${range.start}-${range.end}` }
        const answer = await client
          .send(new sdk.GetObjectCommand({ ...at(name), ...part }))
          .catch((error) => {
            throw error instanceof sdk.NoSuchKey ? fileGone(error) : error
          })
        const body = answer.Body as Readable
        const wanted = range ? range.end - range.start + 1 : bytes
        if (answer.ContentLength === wanted) return withStreamErrors(S3_STORE, body)
        body.destroy()
        throw new Error(`it answered ${answer.ContentLength} bytes instead of ${wanted}`)
      }),

    remove: (name) =>
      withStorageErrors(S3_STORE, 'removed', async () => {
        const { sdk, client } = await s3()
        await client.send(new sdk.DeleteObjectCommand(at(name)))
      }),
  }
}
