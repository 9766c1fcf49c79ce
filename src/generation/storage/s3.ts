import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import type { Blobs } from './blobs.ts'
import { asking, fileGone, storageFailed } from './failures.ts'

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

const STORE = 'the S3 store'

/** The SDK writes to the console otherwise; what fails is told by the error that it throws. */
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

/** Milliseconds for a connection, and of silence in an exchange. */
const PATIENCE_MS = { connectionTimeout: 5_000, socketTimeout: 30_000 }

/**
 * Where files lie in a bucket. Its requests do not pass the outbound guard: their address comes from the operator, and may
 * well be inside the network. The SDK is loaded with the first file.
 */
export function bucketOfBlobs({ bucket, endpoint, region, credentials, prefix }: S3Settings): Blobs {
  const load = async () => {
    const sdk = await import('@aws-sdk/client-s3')
    const client: S3Client = new sdk.S3Client({
      region,
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      ...(credentials !== undefined && { credentials }),
      // What the SDK does unasked since 2025 is unknown to many stores that speak S3.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: PATIENCE_MS,
      logger: silent,
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
    place: (name, { path, bytes }) =>
      asking(STORE, 'written', async () => {
        const { sdk, client } = await s3()
        const Body = createReadStream(path)
        try {
          await client.send(new sdk.PutObjectCommand({ ...at(name), Body, ContentLength: bytes }))
        } finally {
          Body.destroy()
        }
      }),

    open: (name, bytes, range): Promise<Readable> =>
      asking(STORE, 'read', async () => {
        const { sdk, client } = await s3()
        const part = range && { Range: `bytes=${range.start}-${range.end}` }
        const answer = await client
          .send(new sdk.GetObjectCommand({ ...at(name), ...part }))
          .catch((error) => {
            throw error instanceof sdk.NoSuchKey ? fileGone(error) : error
          })
        const body = answer.Body as Readable
        const wanted = range ? range.end - range.start + 1 : bytes
        if (answer.ContentLength === wanted) return body
        body.destroy()
        const seen = `it answered ${answer.ContentLength} bytes instead of ${wanted}`
        throw storageFailed(STORE, 'read', new Error(seen))
      }),

    remove: (name) =>
      asking(STORE, 'removed', async () => {
        const { sdk, client } = await s3()
        await client.send(new sdk.DeleteObjectCommand(at(name)))
      }),
  }
}
