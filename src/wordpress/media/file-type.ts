import { fileTypeFromBuffer } from 'file-type'
import { downloadFailure } from './catalogue.ts'
import { type FileKind, kinds } from './kinds.ts'
import type { FileType } from './types.ts'

/** Bytes in which a file says what it is; a photograph may have a colour profile and a preview before its size. */
export const HEAD_BYTES = 1024 * 1024

/**
 * The type of a file, from its first bytes: names and headers of generated pictures often lie.
 *
 * @throws GalleyError where it is not of this kind, or nothing that WordPress takes
 */
export async function fileTypeOf(
  kind: FileKind,
  head: Buffer,
  { url, said }: { url: string; said: string | undefined },
): Promise<FileType> {
  const { types, failures } = kinds[kind]
  if (head.length === 0) throw downloadFailure(failures.wrong, url, 'empty')
  const found = await fileTypeFromBuffer(head.subarray(0, HEAD_BYTES))
  const mimeType = found?.mime.split(';', 1)[0]?.trim() ?? ''
  const extension = (types as Record<string, string>)[mimeType]
  if (extension === undefined) {
    const called = said?.split(';', 1)[0]?.trim().toLowerCase() || 'of an unknown type'
    // A page of HTML, often: a login, or an error.
    const seen = Object.hasOwn(types, called) ? `not ${called}, as its server says` : called
    throw downloadFailure(failures.wrong, url, mimeType || seen)
  }
  return { mimeType: mimeType === 'image/apng' ? 'image/png' : mimeType, extension }
}
