import { GalleyError } from '../../errors.ts'
import type { OutboundResponse } from '../../outbound/index.ts'
import { failureTextOf } from '../failures/index.ts'
import { downloadFailure } from './catalogue.ts'
import { type FileKind, kinds } from './kinds.ts'
import {
  type FileSources,
  readStoredFile,
  StoredFileGone,
  StoredFileTooBig,
  type Taking,
} from './stored-file.ts'

export interface DownloadLimits {
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
export async function fetchFile(
  kind: FileKind,
  { outbound, findStored }: FileSources,
  url: string,
  { maxBytes: wanted, timeoutMs = 60_000 }: DownloadLimits,
  how: Taking,
): Promise<OutboundResponse> {
  const { accept, failures } = kinds[kind]
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
