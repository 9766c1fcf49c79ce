import { crc32 } from 'node:zlib'
import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { deleteMedia, findMediaByMarker, getMedia, type MediaUpload, uploadMedia } from '../../media/index.ts'
import type { MediaRecord } from '../../types.ts'
import { type Leftover, removeOrReport, unrecognisedLeftover } from './leftovers.ts'

/** A file that was uploaded and removed. */
export interface ProbedUpload<WhileThere = undefined> {
  refusal: GalleyError | null
  /** What the upload was answered with; null where it was refused. */
  answered: MediaRecord | null
  /** The same as it was seen in the library, or where nobody may look as it was answered; null where it was gone. */
  file: MediaRecord | null
  /** Whether that is proven to be the file that was uploaded. */
  isOurs: boolean
  /** What the site has against looking at it. */
  unread: GalleyError | null
  leftBehind: Leftover[]
  /** What was done while it was there; left out where nothing was to be done, or it is not ours. */
  whileThere?: WhileThere
}

interface ProbeSite {
  client: WordPressClient
  /** Whether the library is asked for a list after a clean answer: not where a cache would keep it. */
  lists: boolean
}

/**
 * Uploads a file and deletes it again, also where a failed answer hides that it is there. Nothing is deleted that is not
 * proven to be that file.
 *
 * @param ownIds attachments that are known to be the check's own: an answer that names one of them hides nothing
 */
export async function uploadAndRemove<WhileThere = undefined>(
  { client, lists }: ProbeSite,
  upload: MediaUpload,
  ownIds: readonly number[] = [],
  whileThere?: (file: MediaRecord) => Promise<WhileThere>,
): Promise<ProbedUpload<WhileThere>> {
  const what = `a file with the slug ${upload.marker}`
  const asked = { ...upload, altText: upload.marker }
  const answer = await uploadMedia(client, asked).catch(asFailure)
  if (answer instanceof GalleyError) {
    const leftBehind =
      answer.action === 'ambiguous'
        ? await removeOrReport(what, async () => {
            const hidden = await findMediaByMarker(client, upload.marker)
            if (hidden !== null) await deleteMedia(client, { id: hidden.id })
            return []
          })
        : []
    return { refusal: answer, answered: null, file: null, isOurs: false, unread: null, leftBehind }
  }
  const look = await getMedia(client, { id: answer.id }).catch(asFailure)
  const unread = look instanceof GalleyError ? look : null
  const file = look instanceof GalleyError ? answer : look
  const isOurs = isProbe(file ?? answer, upload)
  const done =
    file !== null && isOurs && whileThere !== undefined ? { whileThere: await whileThere(file) } : {}
  const leftBehind = await removeOrReport(what, async () => {
    // An answer that names somebody else's may hide that ours was made.
    const ours = isOurs ? file : lists ? await findUploaded(client, upload) : null
    if (ours !== null) await deleteMedia(client, { id: ours.id })
    else if (file !== null && !ownIds.includes(file.id)) return [unrecognisedLeftover(nameOf(file))]
    return []
  })
  return { refusal: null, answered: answer, file, isOurs, unread, leftBehind, ...done }
}

/** A library that this user may not list shows nothing. */
async function findUploaded(client: WordPressClient, { marker }: MediaUpload): Promise<MediaRecord | null> {
  try {
    return await findMediaByMarker(client, marker)
  } catch (error) {
    if (error instanceof GalleyError && error.fault === 'owner') return null
    throw error
  }
}

function asFailure(error: unknown): GalleyError {
  if (error instanceof GalleyError) return error
  throw error
}

/** Nobody else knows the marker: whatever has it is the probe's own. A plugin may keep any one of the three. */
const isProbe = ({ slug, sourceUrl, altText }: MediaRecord, { marker }: MediaUpload): boolean =>
  slug.startsWith(marker) || sourceUrl.includes(marker) || altText === marker

const nameOf = ({ id, sourceUrl }: MediaRecord): string => `file ${id} (${sourceUrl.split('/').at(-1)})`

/** The smallest valid file of each type that documents bring along. */
export const sampleFiles = {
  png: {
    name: 'PNG',
    mimeType: 'image/png',
    bytes: Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  },
  jpg: { name: 'JPEG', mimeType: 'image/jpeg', bytes: greyJpeg() },
  gif: {
    name: 'GIF',
    mimeType: 'image/gif',
    bytes: Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64'),
  },
  webp: {
    name: 'WebP',
    mimeType: 'image/webp',
    bytes: Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64'),
  },
  mp3: { name: 'MP3', mimeType: 'audio/mpeg', bytes: silentMp3() },
}

export type SampleFile = keyof typeof sampleFiles

export const sampleTypes = Object.keys(sampleFiles) as SampleFile[]

/** One of them under a name of its own; a picture as PNG has bytes that no other upload has. */
export function sampleUpload(type: SampleFile, marker: string): MediaUpload {
  const { mimeType, bytes } = sampleFiles[type]
  const own = type === 'png' ? withComment(bytes, marker) : bytes
  return { bytes: own, mimeType, fileName: `${marker}.${type}`, marker }
}

/** Of the last chunk of a PNG, which is empty: length, type and checksum. */
const PNG_END = 12

/** With a text before its end that no program shows. */
function withComment(png: Buffer, text: string): Buffer {
  const chunk = Buffer.from(`tEXtComment\0${text}`, 'latin1')
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(chunk.length - 4)
  checksum.writeUInt32BE(crc32(chunk))
  return Buffer.concat([png.subarray(0, -PNG_END), length, chunk, checksum, png.subarray(-PNG_END)])
}

/** One grey pixel, with the shortest tables that there can be: each has one code, a single 0. */
function greyJpeg(): Buffer {
  const segment = (marker: number, ...bytes: number[]) => [0xff, marker, 0, bytes.length + 2, ...bytes]
  const lengths = [1, ...Array<number>(15).fill(0)]
  return Buffer.from([
    ...[0xff, 0xd8],
    ...segment(0xe0, ...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0),
    ...segment(0xdb, 0, ...Array<number>(64).fill(1)),
    ...segment(0xc0, 8, 0, 1, 0, 1, 1, 1, 0x11, 0),
    ...segment(0xc4, 0x00, ...lengths, 0),
    ...segment(0xc4, 0x10, ...lengths, 0),
    ...segment(0xda, 1, 1, 0, 0, 63, 0),
    ...[0x3f, 0xff, 0xd9],
  ])
}

/** An empty ID3 tag and two frames of silence: MPEG 1 layer III, 128 kbit/s, 44.1 kHz, 417 bytes each. */
function silentMp3(): Buffer {
  const tag = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 0, 0])
  const frame = Buffer.alloc(417)
  frame.set([0xff, 0xfb, 0x90, 0x64])
  return Buffer.concat([tag, frame, frame])
}
