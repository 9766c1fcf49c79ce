import { fileNameFor, findMediaOfPost, getMedia } from '../../wordpress/media/index.ts'
import type { MediaRecord } from '../../wordpress/types.ts'
import type { Delivering } from './context.ts'
import type { NeededFile } from './pictures.ts'

/** One file of a delivery, and where it belongs. */
export interface OwnFile {
  /** Of the post that it is attached to. */
  postId: number
  file: NeededFile
  marker: string
}

/** The name a file is uploaded under: what it shows, and a few characters by which its source is known. */
export const fileNameOf = (
  { title }: Delivering['document'],
  { alt, url }: NeededFile,
  extension: string,
): string => fileNameFor({ subject: alt || title, url, extension })

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
  return look !== null && (await isOwn(delivering, look, own)) ? look : null
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
  if (look.post === own.postId) return isDescribed(look, own) || (await isSame()) ? look : null
  return look.post === 0 && isNamed(delivering, look, own.file) ? look : null
}

/**
 * What an earlier upload has left on the post, where a plugin has made another slug of its marker; the oldest. Where plugins
 * have changed its name as well, it is known by its alternative text. To be kept, never to be deleted.
 */
export async function findOwnFile(delivering: Delivering, own: OwnFile): Promise<MediaRecord | null> {
  const files = await findMediaOfPost(delivering.site.client, own.postId)
  for (const file of files) if (await isOwn(delivering, file, own)) return file
  for (const file of files.filter((file) => file.post === own.postId && isDescribed(file, own)))
    if (!(await delivering.ledger.isMediaOfAnother(file, own.marker))) return file
  return null
}

const isDescribed = ({ altText, status }: MediaRecord, { file }: OwnFile): boolean =>
  status !== 'trash' && file.alt !== '' && altText === file.alt

async function isOwn(
  delivering: Delivering,
  media: MediaRecord,
  { postId, file, marker }: OwnFile,
): Promise<boolean> {
  if (media.status === 'trash' || media.post !== postId) return false
  if (!media.slug.startsWith(marker) && !isNamed(delivering, media, file)) return false
  return !(await delivering.ledger.isMediaOfAnother(media, marker))
}

/** Whether it has the name that we gave it. WordPress adds a number where that is taken, and “-scaled” to what it made smaller. */
export function isNamed(
  { document }: Pick<Delivering, 'document'>,
  { sourceUrl }: MediaRecord,
  file: NeededFile,
): boolean {
  const stem = fileNameOf(document, file, '').slice(0, -1)
  return (sourceUrl.split('/').at(-1) ?? '').startsWith(stem)
}
