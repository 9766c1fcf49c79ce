import { createHash } from 'node:crypto'
import { fileTypeFromBuffer } from 'file-type'
import { imageSize } from 'image-size'
import { trimOf } from '../../lib/text.ts'
import { type DownloadFailureCode, downloadFailure } from './download-failures.ts'

/** Bytes in which a file says what it is; a photograph may have a colour profile and a preview before its size. */
export const FILE_HEAD_BYTES = 1024 * 1024

/** By its first bytes: names and headers of generated pictures often lie. @throws GalleyError */
export async function detectFileType(
  kind: FileKind,
  head: Buffer,
  { url, said }: { url: string; said: string | undefined },
): Promise<FileType> {
  const { types, wrong } = fileKinds[kind]
  if (head.length === 0) throw downloadFailure(wrong, url, 'empty')
  const found = await fileTypeFromBuffer(head.subarray(0, FILE_HEAD_BYTES))
  const sniffed = found ?? (kind === 'file' ? textType(head, url, said) : undefined)
  const mimeType = sniffed?.mime.split(';', 1)[0]?.trim() ?? ''
  const extension = (types as Record<string, string>)[mimeType]
  if (extension === undefined) {
    const called = said?.split(';', 1)[0]?.trim().toLowerCase() || 'of an unknown type'
    // A page of HTML, often: a login, or an error.
    const seen = Object.hasOwn(types, called) ? `not ${called}, as it claims` : called
    throw downloadFailure(wrong, url, mimeType || seen)
  }
  return { mimeType, extension }
}

/** The type of plain text, which has no signature: as its name or its host says, where it is text and not a page. */
function textType(head: Buffer, url: string, said = ''): { mime: string } | undefined {
  const [, extension] = /\.(csv|txt)(?:[?#]|$)/i.exec(url) ?? []
  const isCsv = extension?.toLowerCase() === 'csv' || said.startsWith('text/csv')
  if (!isCsv && extension === undefined && !said.startsWith('text/plain')) return undefined
  if (head.includes(0) || /^\s*<(?:!doctype|html)/i.test(head.toString('latin1', 0, 200))) return undefined
  return { mime: isCsv ? 'text/csv' : 'text/plain' }
}

interface FileType {
  mimeType: string
  /** Without a dot: `png`, `mp3`, … */
  extension: string
}

/** A file in memory. Whoever asked for it releases it, whatever happens. */
export interface DownloadedFile extends FileType {
  bytes: Buffer
  /** Gives back what it holds of the budget of bytes. */
  release(): void
}

/** A file that was looked at and not kept. */
export interface InspectedFile extends FileType {
  size: number
  /** In pixels; null for what is no picture, and where the head of the file does not tell. */
  dimensions: Dimensions | null
}

export interface MediaUpload {
  bytes: Buffer
  mimeType: string
  /** With its extension; WordPress keeps it, but for a number where the name is taken. */
  fileName: string
  /** Becomes the slug, by which the attachment is found again. */
  marker: string
  title?: string
  /** WordPress strips tags from it. */
  altText?: string
  caption?: string
  postId?: number
}

interface FileKindRules {
  /** What WordPress takes of this kind without a plugin, by sniffed type, with the extension it expects. */
  types: Record<string, string>
  accept: string
  /** How the codes of its failures begin. */
  called: 'picture' | 'audio' | 'file'
  /** The code of a file that is none of these types. */
  wrong: DownloadFailureCode
}

const audioTypes = {
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/x-m4a': 'm4a',
  'audio/flac': 'flac',
}

const videoTypes = {
  'video/mp4': 'mp4',
  'video/x-m4v': 'm4v',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'video/ogg': 'ogv',
}

/** `wp_get_mime_types` is the reference. SVG is left out: WordPress refuses it, and it can carry scripts. */
export const fileKinds = {
  picture: {
    types: {
      'image/jpeg': 'jpg',
      'image/png': 'png',
      'image/apng': 'png',
      'image/gif': 'gif',
      'image/webp': 'webp',
      'image/avif': 'avif',
      // Converted before the upload.
      'image/heic': 'heic',
      'image/heif': 'heic',
      'image/tiff': 'tif',
    },
    accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif,image/*;q=0.5',
    called: 'picture',
    wrong: 'picture_not_an_image',
  },
  audio: {
    types: audioTypes,
    accept: 'audio/*',
    called: 'audio',
    wrong: 'audio_not_audio',
  },
  video: { types: videoTypes, accept: 'video/*', called: 'file', wrong: 'file_not_accepted' },
  file: {
    types: {
      ...videoTypes,
      ...audioTypes,
      'image/jpeg': 'jpg',
      'image/png': 'png',
      'image/gif': 'gif',
      'image/webp': 'webp',
      'application/pdf': 'pdf',
      'application/rtf': 'rtf',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
      'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
      'application/vnd.oasis.opendocument.text': 'odt',
      'application/vnd.oasis.opendocument.spreadsheet': 'ods',
      'application/vnd.oasis.opendocument.presentation': 'odp',
      'application/epub+zip': 'epub',
      'application/zip': 'zip',
      'application/gzip': 'gz',
      'application/x-tar': 'tar',
      'application/x-7z-compressed': '7z',
      'application/x-rar-compressed': 'rar',
      'text/csv': 'csv',
      'text/plain': 'txt',
    },
    accept: '*/*',
    called: 'file',
    wrong: 'file_not_accepted',
  },
} satisfies Record<string, FileKindRules>

export type FileKind = keyof typeof fileKinds

export interface Dimensions {
  width: number
  height: number
}

/** Bytes with the size of every kind but JPEG. More of a hostile AVIF or HEIC would take many seconds. */
const HEADER_BYTES = 16 * 1024

/** Width and height in pixels, as the file's own header says; null for a kind without or one that is not known here. */
export function readDimensions(bytes: Buffer, mimeType: string): Dimensions | null {
  if (!mimeType.startsWith('image/')) return null
  try {
    return plausible(mimeType === 'image/jpeg' ? jpegDimensions(bytes) : imageSize(headerOf(bytes)))
  } catch (error) {
    // A kind that the library does not know, or a header that ends before its figures do.
    if (error instanceof TypeError || error instanceof RangeError) return null
    throw error
  }
}

/** A copy: the library reads beyond the end of a part, in what the memory around it holds. */
const headerOf = (bytes: Buffer): Uint8Array => new Uint8Array(bytes.subarray(0, HEADER_BYTES))

const plausible = (size: Dimensions | null): Dimensions | null =>
  size !== null && size.width > 0 && size.height > 0 ? { width: size.width, height: size.height } : null

/** The first frame header (ITU T.81, B.2.2), past a profile and preview that the library would read byte by byte. */
function jpegDimensions(bytes: Buffer): Dimensions | null {
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt8(at + 1)
    // C4, C8 and CC lie in the same range and are tables
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
  }
  return null
}

interface FileNameInput {
  /** What the picture shows, its alternative text or the document's title: becomes the readable part. */
  subject: string
  /** Where it came from: the same source has the same name in every attempt. */
  url: string
  /** Without a dot. */
  extension: string
}

const READABLE_LENGTH = 60
/** Enough to find so many letters in. */
const MAX_SCANNED_LENGTH = 1_000

/** `a-harbour-at-dawn-3f9c2a.png`: with the hash of its address, a retry chooses the same name. */
export function chooseFileName({ subject, url, extension }: FileNameInput): string {
  const hash = createHash('sha256').update(url).digest('hex').slice(0, 6)
  const readable = subject
    .slice(0, MAX_SCANNED_LENGTH)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, READABLE_LENGTH)
  return `${trimOf(readable, '-') || 'picture'}-${hash}.${extension}`
}
