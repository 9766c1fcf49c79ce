import { createHash } from 'node:crypto'
import type { Block, Document } from '../../contract/tree.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import type { WordPressClient } from '../../wordpress/client/index.ts'
import type { FailureCode } from '../../wordpress/failures/index.ts'
import { chooseFileName, findExistingMedia, findMediaOfPost, getMedia } from '../../wordpress/media/index.ts'
import type { MediaRecord } from '../../wordpress/types.ts'
import type { Delivering } from './context.ts'

/** A file that a document shows or plays, once, however often it stands in it. */
export interface NeededFile {
  kind: 'picture' | 'audio'
  url: string
  /** The first alternative text that says something; empty for audio. */
  alt: string
  title: string
  featured: boolean
}

/** Every file of a document, the featured image first, each address once. */
export function neededFiles(document: Document): NeededFile[] {
  const files = new Map<string, NeededFile>()
  const need = (file: NeededFile) => {
    const known = files.get(file.url)
    if (known === undefined) files.set(file.url, file)
    else files.set(file.url, { ...known, alt: known.alt || file.alt, title: known.title || file.title })
  }
  const featured = document.featuredImage
  if (featured) need({ kind: 'picture', url: featured.url, alt: featured.alt, title: '', featured: true })
  for (const block of document.blocks) {
    const file = neededFileOf(block)
    if (file !== null) need(file)
  }
  if (document.audio)
    need({ kind: 'audio', url: document.audio.url, alt: '', title: document.title, featured: false })
  return [...files.values()]
}

function neededFileOf(block: Block): NeededFile | null {
  if (block.type === 'image')
    return { kind: 'picture', url: block.url, alt: block.alt, title: block.title ?? '', featured: false }
  if (block.type === 'audio') return { kind: 'audio', url: block.url, alt: '', title: '', featured: false }
  return null
}

/** The slug that marks an attachment as this document's file, whatever WordPress names the file itself. */
export const mediaMarker = (documentId: string, url: string): string =>
  `galley-${documentId}-${createHash('sha256').update(url).digest('hex').slice(0, 12)}`

/** One file of a delivery, and where it belongs. */
export interface OwnFile {
  /** Of the post that it is attached to. */
  postId: number
  file: NeededFile
  marker: string
}

/** The name a file is uploaded under: what it shows, and a few characters by which its source is known. */
export const uploadFileName = (
  { title }: Delivering['document'],
  { alt, url }: NeededFile,
  extension: string,
): string => chooseFileName({ subject: alt || title, url, extension })

/**
 * The attachment of this number, freshly read, where it is proven to be this file of this delivery: on our post, with
 * our marker or under the name that we gave it, and known to no other delivery or file. Null where it is not.
 */
export async function provenOwnFile(
  delivering: Delivering,
  id: number,
  own: OwnFile,
): Promise<MediaRecord | null> {
  const look = await getMedia(delivering.site.client, { id })
  return look !== null && (await isOwnFile(delivering, look, own)) ? look : null
}

/**
 * The same of what an upload was answered with, where plugins rename attachments and files or take them off their posts:
 * on our post, with our alternative text or our bytes; or on none, under the name that we gave it. To be kept, never to be
 * deleted: the proof is weaker.
 *
 * @param isSame whether it has the bytes that were sent
 */
export async function likelyOwnFile(
  delivering: Delivering,
  id: number,
  own: OwnFile,
  isSame: () => Promise<boolean>,
): Promise<MediaRecord | null> {
  const look = await getMedia(delivering.site.client, { id })
  if (look === null || look.status === 'trash') return null
  if (await delivering.ledger.isMediaOfAnother(look, own.marker)) return null
  if (look.post === own.postId) return hasAltText(look, own) || (await isSame()) ? look : null
  return look.post === 0 && hasOwnName(delivering, look, own.file) ? look : null
}

/**
 * What an earlier upload has left on the post, where a plugin has made another slug of its marker; the oldest. Where plugins
 * have changed its name as well, it is known by its alternative text. To be kept, never to be deleted.
 */
export async function findOwnFile(delivering: Delivering, own: OwnFile): Promise<MediaRecord | null> {
  const files = await findMediaOfPost(delivering.site.client, own.postId)
  for (const file of files) if (await isOwnFile(delivering, file, own)) return file
  for (const file of files.filter((file) => file.post === own.postId && hasAltText(file, own)))
    if (!(await delivering.ledger.isMediaOfAnother(file, own.marker))) return file
  return null
}

const hasAltText = ({ altText, status }: MediaRecord, { file }: OwnFile): boolean =>
  status !== 'trash' && file.alt !== '' && altText === file.alt

async function isOwnFile(
  delivering: Delivering,
  media: MediaRecord,
  { postId, file, marker }: OwnFile,
): Promise<boolean> {
  if (media.status === 'trash' || media.post !== postId) return false
  if (!media.slug.startsWith(marker) && !hasOwnName(delivering, media, file)) return false
  return !(await delivering.ledger.isMediaOfAnother(media, marker))
}

/** Whether it has the name that we gave it. WordPress adds a number where that is taken, and “-scaled” to what it made smaller. */
export function hasOwnName(
  { document }: Pick<Delivering, 'document'>,
  { sourceUrl }: MediaRecord,
  file: NeededFile,
): boolean {
  const stem = uploadFileName(document, file, '').slice(0, -1)
  return (sourceUrl.split('/').at(-1) ?? '').startsWith(stem)
}

/**
 * The attachments of a post just filled that somebody has deleted, or trashed, since they were put there. None where this
 * user may not list them: the post stands by then.
 */
export async function findDeletedMedia(
  client: WordPressClient,
  placed: readonly number[],
): Promise<Set<number>> {
  try {
    const existing = await findExistingMedia(client, placed)
    return new Set(placed.filter((id) => !existing.has(id)))
  } catch (error) {
    if (error instanceof GalleyError && UNREADABLE.has(error.code)) return new Set()
    throw error
  }
}

/** As which plugins refuse a list that they keep from some users. */
const UNREADABLE: ReadonlySet<string> = new Set<FailureCode>([
  'rights_missing',
  'request_refused',
  'rest_api_disabled',
  'rest_route_missing',
])

/** What WordPress did not set of a fill: the next one says it again where that is still so. */
const PER_FILL_WARNINGS: ReadonlySet<string> = new Set([
  'featured_image_dropped',
  'categories_dropped',
  'tags_dropped',
  'categories_replaced',
  'tags_replaced',
])

/** What is still true of a first fill once a second one has put back what was lost; and what both said, once. */
export function mergeWarnings(first: readonly Warning[], second: readonly Warning[]): Warning[] {
  const told = [...first.filter(({ code }) => !PER_FILL_WARNINGS.has(code)), ...second]
  return [...new Map(told.map((warning) => [`${warning.code} ${warning.message}`, warning])).values()]
}
