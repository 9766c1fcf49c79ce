import { type DownloadLimits, fetchFile } from './fetch-file.ts'
import { fileTypeOf } from './file-type.ts'
import type { FileKind } from './kinds.ts'
import type { FileSources } from './stored-file.ts'
import type { DownloadedFile } from './types.ts'

/** Fetches a file to keep it in memory, once and counted, until it is released. @throws GalleyError of the file */
export async function download(
  kind: FileKind,
  sources: FileSources,
  url: string,
  limits: DownloadLimits,
): Promise<DownloadedFile> {
  const { headers, body: bytes, release } = await fetchFile(kind, sources, url, limits, { hold: true })
  const end = () => release?.()
  try {
    const type = await fileTypeOf(kind, bytes, { url, said: headers['content-type'] })
    return { ...type, bytes, release: end }
  } catch (error) {
    end()
    throw error
  }
}
