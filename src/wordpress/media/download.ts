import { fileTypeFromBuffer } from 'file-type'
import { GalleyError } from '../../errors.ts'
import type { Outbound, OutboundResponse } from '../../outbound/index.ts'
import { toldBy } from '../failures/index.ts'
import { downloadFailure } from './catalogue.ts'
import { type FileKind, kinds } from './kinds.ts'
import type { DownloadedFile } from './types.ts'

export interface DownloadLimits {
  /** Bytes. */
  maxBytes: number
  /** Milliseconds; default 60,000. */
  timeoutMs?: number
}

export const downloadPicture = (
  outbound: Outbound,
  url: string,
  limits: DownloadLimits,
): Promise<DownloadedFile> => download('picture', outbound, url, limits)

export const downloadAudio = (
  outbound: Outbound,
  url: string,
  limits: DownloadLimits,
): Promise<DownloadedFile> => download('audio', outbound, url, limits)

/** Fetches a file and reads its type from its bytes: names and headers of generated pictures often lie. */
async function download(
  kind: FileKind,
  outbound: Outbound,
  url: string,
  { maxBytes, timeoutMs = 60_000 }: DownloadLimits,
): Promise<DownloadedFile> {
  const { types, accept, failures } = kinds[kind]
  const { status, headers, body } = await fetchFile(outbound, url, { accept, maxBytes, timeoutMs }).catch(
    (error) => {
      if (!(error instanceof GalleyError)) throw error
      if (error.code === 'answer_too_big')
        throw downloadFailure(failures.tooBig, url, inMegabytes(maxBytes), error)
      throw downloadFailure(failures.unreachable, url, toldBy(error).happened, error)
    },
  )
  if (status === 404 || status === 410 || status === 403) {
    throw downloadFailure(failures.missing, url, `HTTP ${status}`)
  }
  if (status !== 200) throw downloadFailure(failures.unreachable, url, `its host answered HTTP ${status}.`)
  if (body.length === 0) throw downloadFailure(failures.wrong, url, 'empty')

  const found = await fileTypeFromBuffer(body)
  const mimeType = found?.mime.split(';', 1)[0]?.trim() ?? ''
  const extension = (types as Record<string, string>)[mimeType]
  if (extension === undefined) {
    throw downloadFailure(failures.wrong, url, mimeType || headers['content-type'] || 'of an unknown type')
  }
  return { bytes: body, mimeType: mimeType === 'image/apng' ? 'image/png' : mimeType, extension }
}

const fetchFile = (
  outbound: Outbound,
  url: string,
  { accept, maxBytes, timeoutMs }: { accept: string; maxBytes: number; timeoutMs: number },
): Promise<OutboundResponse> =>
  outbound.request(url, { headers: { Accept: accept }, redirects: 'follow', maxBytes, timeoutMs })

const inMegabytes = (bytes: number): string =>
  `${(bytes / 1024 / 1024).toLocaleString('en', { maximumFractionDigits: 1 })} MB`
