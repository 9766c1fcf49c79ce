import { GalleyError } from '../../errors.ts'
import type { Outbound, OutboundRequest, OutboundResponse } from '../../outbound/outbound.ts'
import { failureTextOf } from '../failures/classify.ts'
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
import { checkPixels, uploadedType } from './prepare.ts'

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
    checkPixels(readDimensions(bytes, type.mimeType), type.mimeType, url)
    return { ...type, bytes, release: end }
  } catch (error) {
    end()
    throw error
  }
}

/** A file that Galley has already, as it is handed over by whoever keeps it. */
interface StoredFile {
  /** What it is said to be. */
  type: string
  bytes: number
  open(): Promise<AsyncIterable<Buffer>>
  /** The whole of it, counted until it is released. */
  hold(): Promise<{ body: Buffer; release(): void }>
}

/** A file that Galley keeps; `gone` where an address of ours names none; undefined for any other. */
export type FindStoredFile = (url: string) => Promise<StoredFile | 'gone' | undefined>

export interface FileSources {
  outbound: Outbound
  findStored: FindStoredFile
}

/** What is to be done with the bytes of a file: see {@link OutboundRequest}. */
type BodyHandling = Pick<OutboundRequest, 'hold' | 'onBody'>

/** A file that Galley keeps: no request gets through to this machine. Undefined where the address is not one of ours. */
async function readStoredFile(
  find: FindStoredFile,
  url: string,
  { maxBytes, tooBig }: { maxBytes: number; tooBig: () => GalleyError },
  { onBody }: BodyHandling,
): Promise<OutboundResponse | 'gone' | undefined> {
  const file = await find(url)
  if (file === undefined || file === 'gone') return file
  if (file.bytes > maxBytes) throw tooBig()
  const told = { status: 200, headers: { 'content-type': file.type }, url }
  try {
    if (onBody === undefined) return { ...told, ...(await file.hold()) }
    for await (const piece of await file.open()) onBody(piece)
    return { ...told, body: Buffer.alloc(0) }
  } catch (error) {
    if (error instanceof GalleyError && error.action === 'permanent') return 'gone'
    throw error
  }
}

type DownloadLimits = { maxBytes: number }

const TIMEOUT_MS = 60_000

/** Asks for a file, or takes one that Galley keeps. @throws GalleyError of the file, unless Galley's own */
async function streamFile(
  kind: FileKind,
  { outbound, findStored }: FileSources,
  url: string,
  { maxBytes: wanted }: DownloadLimits,
  how: BodyHandling,
): Promise<OutboundResponse> {
  const { accept, called } = fileKinds[kind]
  const maxBytes = Math.min(wanted, outbound.largestFile)
  const tooBig = (cause?: GalleyError) => {
    const fault = maxBytes < wanted ? ', the most that Galley keeps in memory (GALLEY_BYTES_IN_FLIGHT)' : ''
    return downloadFailure(`${called}_too_big`, url, `${inMegabytes(maxBytes)}${fault}`, cause)
  }
  const own = await readStoredFile(findStored, url, { maxBytes, tooBig }, how)
  if (own === 'gone') throw downloadFailure(`${called}_missing`, url, 'Galley keeps it no longer')
  if (own !== undefined) return own
  const limits = { maxBytes, timeoutMs: TIMEOUT_MS }
  const request = { headers: { Accept: accept }, redirects: 'follow', ...limits, ...how } as const
  const response = await outbound.request(url, request).catch((error) => {
    if (!(error instanceof GalleyError) || error.fault === 'galley') throw error
    if (error.code === 'answer_too_big') throw tooBig(error)
    throw downloadFailure(`${called}_unreachable`, url, failureTextOf(error).happened, error)
  })
  const { status } = response
  if (status === 200) return response
  response.release?.()
  if (status === 404 || status === 410 || status === 403)
    throw downloadFailure(`${called}_missing`, url, `HTTP ${status}`)
  throw downloadFailure(`${called}_unreachable`, url, `its host answered HTTP ${status}.`)
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
  const dimensions = readDimensions(seen, type.mimeType)
  checkPixels(dimensions, type.mimeType, url)
  return { ...uploadedType(type), size, dimensions }
}
