import { asFailure, GalleyError, recoverWith } from '../../../errors.ts'
import type { WordPressClient } from '../../client/client.ts'
import type { MediaUpload } from '../../media/file-type.ts'
import { deleteMedia, findMediaByMarker, getMedia, uploadMedia } from '../../media/library.ts'
import type { MediaRecord } from '../../types.ts'
import { type Finding, line } from '../report.ts'
import { type Leftover, removeOrReport, unrecognisedLeftover } from './leftovers.ts'

export interface ProbedUpload {
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
  /** The same bytes, uploaded once more while it was there; undefined where that was not to be done, or it is not ours. */
  copy?: ProbedUpload | undefined
}

interface ProbeSite {
  client: WordPressClient
  /** Whether the library is asked for a list after a clean answer: not where a cache would keep it. */
  lists: boolean
}

/** Uploads a file and deletes it if proven to be it, also after a failed answer. @param ownIds the check's other attachments */
export async function uploadAndRemove(
  { client, lists }: ProbeSite,
  upload: MediaUpload,
  ownIds: readonly number[] = [],
  again?: (file: MediaRecord) => Promise<ProbedUpload>,
): Promise<ProbedUpload> {
  const what = `a file with the slug ${upload.marker}`
  const asked = { ...upload, altText: upload.marker }
  const answer = await uploadMedia(client, asked).catch(asFailure)
  if (answer instanceof GalleyError) {
    const leftBehind =
      answer.action === 'ambiguous'
        ? await removeOrReport(what, async () => {
            const hidden = await findMediaByMarker(client, upload.marker)
            if (hidden !== null) await deleteMedia(client, { id: hidden.id })
          })
        : []
    return { refusal: answer, answered: null, file: null, isOurs: false, unread: null, leftBehind }
  }
  const look = await getMedia(client, { id: answer.id }).catch(asFailure)
  const unread = look instanceof GalleyError ? look : null
  const file = look instanceof GalleyError ? answer : look
  const isOurs = isProbe(file ?? answer, upload)
  const copy = file !== null && isOurs ? await again?.(file) : undefined
  const leftBehind = await removeOrReport(what, async () => {
    // An answer that names somebody else's may hide that ours was made.
    const ours = isOurs ? file : lists ? await findUploaded(client, upload) : null
    if (ours !== null) await deleteMedia(client, { id: ours.id })
    else if (file !== null && !ownIds.includes(file.id)) return [unrecognisedLeftover(nameOf(file))]
    return []
  })
  return { refusal: null, answered: answer, file, isOurs, unread, leftBehind, copy }
}

/** A library that this user may not list shows nothing. */
const findUploaded = (client: WordPressClient, { marker }: MediaUpload): Promise<MediaRecord | null> =>
  findMediaByMarker(client, marker).catch(recoverWith(null, ({ fault }) => fault === 'owner'))

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
  jpg: {
    name: 'JPEG',
    mimeType: 'image/jpeg',
    bytes: Buffer.from(
      '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z',
      'base64',
    ),
  },
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
  // Behind the end of a PNG, no program looks.
  const own = type === 'png' ? Buffer.concat([bytes, Buffer.from(marker)]) : bytes
  return { bytes: own, mimeType, fileName: `${marker}.${type}`, marker }
}

/** An empty ID3 tag and two frames of silence: MPEG 1 layer III, 128 kbit/s, 44.1 kHz, 417 bytes each. */
function silentMp3(): Buffer {
  const tag = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0, 0, 0])
  const frame = Buffer.alloc(417)
  frame.set([0xff, 0xfb, 0x90, 0x64])
  return Buffer.concat([tag, frame, frame])
}

const MEGABYTE = 1024 * 1024
/** A generated picture of 1536×1024 is 2 to 4 MB as PNG; ten minutes of narration are about 10 MB as MP3. */
const SIZES_MB = [8, 2] as const
/** What is sent: one for all sites, never written to, and so without memory of its own. */
const ZERO_BYTES = Buffer.alloc(SIZES_MB[0] * MEGABYTE)

/**
 * How large a file gets through. No limit is told over REST, so a file of a refused type is sent: WordPress looks at the size first,
 * and a big one that is refused in the same words as a tiny one was not too big.
 */
export async function probeUploadLimit(
  client: WordPressClient,
  { marker, lists = true }: { marker: string; lists?: boolean },
): Promise<{ finding: Finding; leftBehind: Leftover[] }> {
  const leftBehind: Leftover[] = []
  const refusalOf = async (bytes: number): Promise<string | null> => {
    const name = `${marker}-${bytes}`
    const { refusal, leftBehind: left } = await uploadAndRemove(
      { client, lists },
      {
        bytes: ZERO_BYTES.subarray(0, bytes),
        mimeType: 'application/octet-stream',
        fileName: `${name}.galley`,
        marker: name,
      },
    )
    leftBehind.push(...left)
    return refusal && inWords(refusal)
  }

  const tiny = await refusalOf(1)
  for (const megabytes of SIZES_MB)
    if ((await refusalOf(megabytes * MEGABYTE)) === tiny)
      return { finding: limitFinding(megabytes), leftBehind }
  return { finding: limitFinding(0), leftBehind }
}

/** Code and WordPress's own words: the code alone is the same for a type and a size that is refused. */
function inWords({ code, details }: GalleyError): string {
  const said =
    typeof details === 'object' && details !== null && 'wordpress' in details ? details.wordpress : null
  return JSON.stringify([code, said])
}

/** @param megabytes that get through */
function limitFinding(megabytes: number): Finding {
  const [wanted, least] = SIZES_MB
  const seen = `A file of ${megabytes} MB gets through`
  if (megabytes === wanted)
    return line.upload_limit.ok(`${seen}.`, 'Pictures and narration of usual size can be stored.')
  const isTiny = megabytes === 0
  return line.upload_limit.warning(
    isTiny ? `Not even a file of ${least} MB gets through.` : `${seen}, one of ${wanted} MB does not.`,
    isTiny ? 'Most generated pictures are refused.' : 'Large pictures and long narration are refused.',
    'Raise upload_max_filesize and post_max_size in PHP, and the limit of the web server, to 16 MB or more.',
  )
}
