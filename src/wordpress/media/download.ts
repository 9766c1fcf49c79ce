import { GalleyError } from '../../errors.ts'
import type { Outbound, OutboundRequest, OutboundResponse } from '../../outbound/index.ts'
import { failureTextOf } from '../failures/index.ts'
import { downloadFailure } from './download-failures.ts'
import {
  type DownloadedFile,
  detectFileType,
  FILE_HEAD_BYTES,
  type FileKind,
  fileKinds,
  type InspectedFile,
  readDimensions,
} from './file-type.ts'

/** Fetches a file to keep it in memory, once and counted, until it is released. @throws GalleyError of the file */
export async function downloadFile(
  kind: FileKind,
  sources: FileSources,
  url: string,
  limits: DownloadLimits,
): Promise<DownloadedFile> {
  const { headers, body: bytes, release } = await streamFile(kind, sources, url, limits, { hold: true })
  const end = () => release?.()
  try {
    const type = await detectFileType(kind, bytes, { url, said: headers['content-type'] })
    return { ...type, bytes, release: end }
  } catch (error) {
    end()
    throw error
  }
}

/** A file that Galley made and keeps, as it is handed over by whoever keeps it. */
interface StoredFile {
  /** What it was made as. */
  type: string
  bytes: number
  /** Opens it, to see it pass. */
  open(): Promise<AsyncIterable<Buffer>>
  /** The whole of it, counted until it is released. */
  hold(): Promise<{ body: Buffer; release(): void }>
}

/**
 * The file that Galley itself keeps at this address; `gone` where the address is one of ours and names none any more;
 * undefined for any other address.
 */
export type FindStoredFile = (url: string) => Promise<StoredFile | 'gone' | undefined>

/** Where files of documents come from: what Galley keeps itself, and every other address. */
export interface FileSources {
  outbound: Outbound
  findStored: FindStoredFile
}

/** What is to be done with the bytes of a file: see {@link OutboundRequest}. */
type BodyHandling = Pick<OutboundRequest, 'hold' | 'onBody'>

/** A file of ours that is not there any more. Asking for it would find nothing, or be refused as an address of this machine. */
class StoredFileGone extends Error {}

/** A file of ours that has more bytes than wanted. */
class StoredFileTooBig extends Error {}

/**
 * A file that Galley keeps, read where it lies and told as a request would have told it. Its address may lead to this very
 * machine, where the outbound guard lets nothing through; and a request would take what is at hand on a long way.
 *
 * @returns undefined where the address is not one of ours
 * @throws StoredFileGone, StoredFileTooBig
 */
async function readStoredFile(
  find: FindStoredFile,
  url: string,
  maxBytes: number,
  { onBody }: BodyHandling,
): Promise<OutboundResponse | undefined> {
  const file = await find(url)
  if (file === undefined) return undefined
  if (file === 'gone') throw new StoredFileGone()
  if (file.bytes > maxBytes) throw new StoredFileTooBig()
  const told = { status: 200, headers: { 'content-type': file.type }, url }
  try {
    if (onBody === undefined) return { ...told, ...(await file.hold()) }
    for await (const piece of await file.open()) onBody(piece)
    return { ...told, body: Buffer.alloc(0) }
  } catch (error) {
    if (error instanceof GalleyError && error.action === 'permanent') throw new StoredFileGone()
    throw error
  }
}

interface DownloadLimits {
  /** Bytes. */
  maxBytes: number
  /** Milliseconds; default 60,000. */
  timeoutMs?: number
}

/**
 * Asks for a file, or takes it where Galley keeps it, to hold it or to see it pass.
 *
 * @throws GalleyError of the file, whatever is wrong with it or its host; what is wrong with Galley stays that
 */
async function streamFile(
  kind: FileKind,
  { outbound, findStored }: FileSources,
  url: string,
  { maxBytes: wanted, timeoutMs = 60_000 }: DownloadLimits,
  how: BodyHandling,
): Promise<OutboundResponse> {
  const { accept, failures } = fileKinds[kind]
  const maxBytes = Math.min(wanted, outbound.largestFile)
  const tooBig = (cause?: GalleyError) => {
    const fault = maxBytes < wanted ? ', the most that Galley keeps in memory (GALLEY_BYTES_IN_FLIGHT)' : ''
    return downloadFailure(failures.tooBig, url, `${inMegabytes(maxBytes)}${fault}`, cause)
  }
  const own = await readStoredFile(findStored, url, maxBytes, how).catch((error) => {
    if (error instanceof StoredFileTooBig) throw tooBig()
    if (error instanceof StoredFileGone)
      throw downloadFailure(failures.missing, url, 'Galley keeps it no longer')
    throw error
  })
  if (own !== undefined) return own
  const request = { headers: { Accept: accept }, redirects: 'follow', maxBytes, timeoutMs, ...how } as const
  const response = await outbound.request(url, request).catch((error) => {
    if (!(error instanceof GalleyError) || error.fault === 'galley') throw error
    if (error.code === 'answer_too_big') throw tooBig(error)
    throw downloadFailure(failures.unreachable, url, failureTextOf(error).happened, error)
  })
  const { status } = response
  if (status === 200) return response
  response.release?.()
  if (status === 404 || status === 410 || status === 403)
    throw downloadFailure(failures.missing, url, `HTTP ${status}`)
  throw downloadFailure(failures.unreachable, url, `its host answered HTTP ${status}.`)
}

const inMegabytes = (bytes: number): string =>
  `${(bytes / 1024 / 1024).toLocaleString('en', { maximumFractionDigits: 1 })} MB`

/** Looks at a file as it passes, to its end, and keeps no more than its head meanwhile. @throws GalleyError of the file */
export async function inspectFile(
  kind: FileKind,
  sources: FileSources,
  url: string,
  limits: DownloadLimits,
): Promise<InspectedFile> {
  // Not touched, and so not in memory, before it is filled.
  const head = Buffer.allocUnsafeSlow(FILE_HEAD_BYTES)
  let size = 0
  const onBody = (piece: Buffer) => {
    if (size < FILE_HEAD_BYTES) piece.copy(head, size)
    size += piece.length
  }
  const { headers } = await streamFile(kind, sources, url, limits, { onBody })
  const seen = head.subarray(0, size)
  const type = await detectFileType(kind, seen, { url, said: headers['content-type'] })
  return { ...type, size, dimensions: readDimensions(seen, type.mimeType) }
}
