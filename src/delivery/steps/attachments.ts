import { createHash } from 'node:crypto'
import type { FileReference } from '../../blocks/define.ts'
import { type Document, filesOf } from '../../blocks/document.ts'
import { recoverWith, type Warning } from '../../errors.ts'
import { escapeAngleBrackets } from '../../render/escape.ts'
import type { WordPressClient } from '../../wordpress/client/client.ts'
import type { FailureCode } from '../../wordpress/failures/catalogue.ts'
import { chooseFileName } from '../../wordpress/media/file-type.ts'
import { findExistingMedia, findMediaOfPost, getMedia } from '../../wordpress/media/library.ts'
import type { MediaRecord } from '../../wordpress/types.ts'
import { documentMarker, findMediaHolder } from '../ledger/ownership.ts'
import type { Delivering } from './context.ts'

/** A file that a document shows or plays, once, however often it stands in it. */
export interface NeededFile extends FileReference {
  featured: boolean
  caption?: string | undefined
  /** It stands in the text, or above or below it. */
  inText: boolean
}

/** Every file of a document, the featured image first, each address once. */
export function neededFiles(document: Document): NeededFile[] {
  const files = new Map<string, NeededFile>()
  const need = (file: NeededFile) => {
    const known = files.get(file.url) ?? file
    files.set(file.url, {
      ...known,
      alt: known.alt || file.alt,
      title: known.title || file.title,
      inText: known.inText || file.inText,
    })
  }
  const featured = document.featuredImage
  if (featured) need({ kind: 'picture', ...featured, title: '', featured: true, inText: false })
  const { blocks, audio } = document
  for (const file of filesOf(blocks)) need({ ...file, featured: false, inText: true })
  for (const file of audio ? filesOf([audio]) : [])
    need({ ...file, title: document.title, featured: false, inText: true })
  return [...files.values()]
}

/** The slug that marks an attachment as this document's file, whatever WordPress names the file itself. */
export const mediaMarker = (documentId: string, url: string): string =>
  `${documentMarker(documentId)}-${createHash('sha256').update(url).digest('hex').slice(0, 12)}`

export interface OwnFile {
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
 * The attachment of this number, freshly read, where it is proven to be this file of this delivery: on our post, with our marker or
 * under our name, and nobody else’s. Null where it is not.
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
 * The same where plugins rename files or take them off their posts: on our post, with our alternative text or bytes; or on none, under our
 * name. To be kept, never to be deleted: the proof is weaker. @param isSame whether it has the bytes that were sent
 */
export async function likelyOwnFile(
  delivering: Delivering,
  id: number,
  own: OwnFile,
  isSame: () => Promise<boolean>,
): Promise<MediaRecord | null> {
  const look = await getMedia(delivering.site.client, { id })
  if (look === null || look.status === 'trash') return null
  if (await isOfAnother(delivering, look, own)) return null
  if (look.post === own.postId) return hasAltText(look, own) || (await isSame()) ? look : null
  return look.post === 0 && hasOwnName(delivering, look, own.file) ? look : null
}

/** What an earlier upload has left on the post, where plugins have changed marker or name; the oldest. To be kept, never to be deleted. */
export async function findOwnFile(delivering: Delivering, own: OwnFile): Promise<MediaRecord | null> {
  const files = await findMediaOfPost(delivering.site.client, own.postId)
  for (const file of files) if (await isOwnFile(delivering, file, own)) return file
  for (const file of files.filter((file) => file.post === own.postId && hasAltText(file, own)))
    if (!(await isOfAnother(delivering, file, own))) return file
  return null
}

const hasAltText = ({ altText, status }: MediaRecord, { file }: OwnFile): boolean =>
  status !== 'trash' && file.alt !== '' && altText === escapeAngleBrackets(file.alt)

const isOfAnother = async ({ ledger }: Delivering, media: MediaRecord, { marker }: OwnFile) =>
  (await findMediaHolder(ledger.pool, ledger.id, media, marker)) === 'another'

async function isOwnFile(delivering: Delivering, media: MediaRecord, own: OwnFile) {
  const { postId, file, marker } = own
  if (media.status === 'trash' || media.post !== postId) return false
  if (!media.slug.startsWith(marker) && !hasOwnName(delivering, media, file)) return false
  return !(await isOfAnother(delivering, media, own))
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

/** Attachments of a post just filled that somebody has deleted or trashed since; none where this user may not list them. */
export async function findDeletedMedia(
  client: WordPressClient,
  placed: readonly number[],
): Promise<Set<number>> {
  const existing = await findExistingMedia(client, placed).catch(
    recoverWith(null, ({ code }) => UNREADABLE.has(code)),
  )
  return new Set(existing === null ? [] : placed.filter((id) => !existing.has(id)))
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
  'slug_changed',
  'slug_dropped',
  'slug_shortened',
])

/** Fills a post once more: of the fill before, `warnings` keep what is still true, and what both say, once. */
export async function fillAgain<Result>(warnings: Warning[], fill: () => Promise<Result>): Promise<Result> {
  const lasting = warnings.filter(({ code }) => !PER_FILL_WARNINGS.has(code))
  warnings.splice(0, warnings.length, ...lasting)
  const result = await fill()
  const once = new Map(warnings.map((warning) => [`${warning.code} ${warning.message}`, warning]))
  warnings.splice(0, warnings.length, ...once.values())
  return result
}
