import { dimensionsOf } from './dimensions.ts'
import { type DownloadLimits, fetchFile } from './fetch-file.ts'
import { fileTypeOf, HEAD_BYTES } from './file-type.ts'
import type { FileKind } from './kinds.ts'
import type { FileSources } from './stored-file.ts'
import type { InspectedFile } from './types.ts'

/** Looks at a file as it passes, to its end, and keeps no more than its head meanwhile. @throws GalleyError of the file */
export async function inspect(
  kind: FileKind,
  sources: FileSources,
  url: string,
  limits: DownloadLimits,
): Promise<InspectedFile> {
  // Not touched, and so not in memory, before it is filled.
  const head = Buffer.allocUnsafeSlow(HEAD_BYTES)
  let size = 0
  const onBody = (piece: Buffer) => {
    if (size < HEAD_BYTES) piece.copy(head, size)
    size += piece.length
  }
  const { headers } = await fetchFile(kind, sources, url, limits, { onBody })
  const seen = head.subarray(0, size)
  const type = await fileTypeOf(kind, seen, { url, said: headers['content-type'] })
  return { ...type, size, dimensions: dimensionsOf(seen, type.mimeType) }
}
