import { GalleyError, type Warning } from '../../errors.ts'
import type { SiteSettings } from '../../sites/settings.ts'
import { steadyNow } from '../../steady-clock.ts'
import { type FailureCode, failure } from '../../wordpress/failures/index.ts'
import {
  deleteMedia,
  download,
  downloadFailures,
  findMediaByMarker,
  getMedia,
  uploadMedia,
} from '../../wordpress/media/index.ts'
import type { MediaRecord } from '../../wordpress/types.ts'
import { held } from '../conflicts/holds.ts'
import { FencedOff, type LedgerMedia } from '../ledger/ledger.ts'
import type { Delivering } from './context.ts'
import { fileNameOf, findOwnFile, isNamed, likelyOwnFile, type OwnFile, provenOwnFile } from './own-file.ts'
import { mediaMarker, type NeededFile, neededFiles } from './pictures.ts'
import { assertStays } from './removed.ts'

/** Attachments by the address the document gives, and the pictures that will not be shown at all. */
export interface DeliveredMedia {
  records: Map<string, MediaRecord>
  dropped: Set<string>
}

/** The files of a document, brought into the library or found there. */
export interface PlacedMedia extends DeliveredMedia {
  /** Attachments that this attempt has made, and until when (`steadyNow()`) nobody is taken to have touched them. */
  untouched: Map<number, number>
  /** Whether an upload failed on the way: a site that is being restored, say, may have another post by now. */
  failedOnce: boolean
}

/**
 * Puts every file of the document into the site's library, attached to the reserved post. A file that cannot
 * be had is treated as the site's `picture_policy` says; a failure of the site itself is thrown.
 */
export async function media(delivering: Delivering, postId: number): Promise<PlacedMedia> {
  delivering.progress.enter('media')
  const files = neededFiles(delivering.document)
  const delivered: PlacedMedia = {
    records: new Map(),
    dropped: new Set(),
    untouched: new Map(),
    failedOnce: false,
  }
  if (files.length === 0) return delivered
  const earlier = await delivering.ledger.media()
  for (const file of files) {
    try {
      const { record, until, failedOnce } = await place(delivering, postId, file, earlier)
      delivered.records.set(file.url, record)
      delivered.untouched.set(record.id, until)
      delivered.failedOnce ||= failedOnce
    } catch (error) {
      if (!isFailureOfFile(error) || mayPass(error, delivering)) throw error
      doWithout(delivering, file, error, delivered)
    }
  }
  return delivered
}

interface Placed {
  record: MediaRecord
  /** See {@link PlacedMedia.untouched}. */
  until: number
  failedOnce: boolean
}

/** Of one that was there before this attempt. */
const longAgo = (record: MediaRecord): Placed => ({ record, until: 0, failedOnce: false })

/** The attachment of one file: the one recorded, the one an unanswered upload left, or a new one. */
async function place(
  delivering: Delivering,
  postId: number,
  file: NeededFile,
  earlier: Map<string, LedgerMedia>,
): Promise<Placed> {
  const { row, site, ledger } = delivering
  const marker = mediaMarker(row.document_id, file.url)
  const own = { postId, file, marker }
  const known = earlier.get(marker)
  if (known !== undefined && known.mediaId !== null) {
    const standing = await getMedia(site.client, { id: known.mediaId })
    if (standing !== null && standing.status !== 'trash' && isOurs(delivering, standing, own))
      return longAgo(standing)
    ledger.defer('media', 'missing', `attachment ${known.mediaId} is not in the library any more`)
  } else if (known?.intended) {
    const left = await adoptLeft(delivering, own)
    if (left !== null) return longAgo(left)
  }
  return upload(delivering, own)
}

/** What an upload without a clean answer has left, recorded as ours; null where there is nothing. */
async function adoptLeft(delivering: Delivering, own: OwnFile): Promise<MediaRecord | null> {
  const { ledger, site } = delivering
  const { marker } = own
  // It may still be under way on the site: what it leaves then is looked for later (maintenance/orphans.ts).
  await ledger.record('media', 'looked up', marker, { ambiguous_at: ledger.now() })
  const left = (await findMediaByMarker(site.client, marker)) ?? (await findOwnFile(delivering, own))
  if (left === null || left.status === 'trash') return null
  await assertStays(delivering, { kind: 'attachment', id: left.id }, marker)
  await ledger.recordMedia(marker, left.id)
  ledger.defer('media', 'adopted', `attachment ${left.id}`)
  return left
}

/** Another file may have its number, on a site that was restored from a backup. */
const isOurs = (delivering: Delivering, standing: MediaRecord, { marker, postId, file }: OwnFile): boolean =>
  standing.slug.startsWith(marker) || standing.post === postId || isNamed(delivering, standing, file)

async function upload(delivering: Delivering, own: OwnFile): Promise<Placed> {
  const { postId, file, marker } = own
  const { ledger, site, writer, document } = delivering
  const { settings } = site
  const limits = { maxBytes: settings.max_picture_bytes }
  const { bytes, mimeType, extension, release } = await download(file.kind, delivering, file.url, limits)
  let asked = steadyNow()
  const send = async () => {
    await ledger.intendMedia(marker, file.url)
    await ledger.assertHeld()
    asked = steadyNow()
    return uploadMedia(writer, {
      bytes,
      mimeType,
      fileName: fileNameOf(document, file, extension),
      marker,
      postId,
      title: file.title || file.alt || document.title,
      altText: file.alt,
      caption: '',
    })
  }
  const sent = await sendOrFind(delivering, own, send).finally(release)
  if ('left' in sent) return { ...longAgo(sent.left), failedOnce: true }
  const { record, failedOnce } = sent
  if (record.slug !== marker)
    return {
      ...longAgo(
        await underAnotherSlug(delivering, record, own, () => holdsSame(delivering, record, file, bytes)),
      ),
      failedOnce,
    }
  try {
    await ledger.recordMedia(marker, record.id)
  } catch (error) {
    if (error instanceof FencedOff) await removeUnlessAdopted(delivering, record, own)
    throw error
  }
  ledger.defer('media', 'uploaded', `attachment ${record.id} from ${file.url}`)
  return { record, until: asked + delivering.untouchedMs.made, failedOnce }
}

/** The file as answered; or what a request without a clean answer has left, which is looked for before it is made again. */
async function sendOrFind(
  delivering: Delivering,
  own: OwnFile,
  send: () => Promise<MediaRecord>,
): Promise<{ record: MediaRecord; failedOnce: boolean } | { left: MediaRecord }> {
  const { traffic } = delivering.site.client
  for (let tries = 1; ; tries++) {
    const record = await send().catch(async (error) => {
      const ambiguous = error instanceof GalleyError && error.action === 'ambiguous'
      if (ambiguous && (await traffic.again(error, tries))) return null
      throw error
    })
    if (record !== null) return { record, failedOnce: tries > 1 }
    const left = await adoptLeft(delivering, own)
    if (left !== null) return { left }
  }
}

/**
 * Slugs are unique: another one than the marker means that this file was there before, and ours goes; or that a plugin
 * renames attachments; or that the answer is another file's, from a cache or from a plugin that keeps each file once.
 *
 * @param isSame whether the file that was answered has the bytes of ours
 */
async function underAnotherSlug(
  delivering: Delivering,
  answer: MediaRecord,
  own: OwnFile,
  isSame: () => Promise<boolean>,
): Promise<MediaRecord> {
  const { site, ledger } = delivering
  const { marker } = own
  const ours = await provenOwnFile(delivering, answer.id, own)
  const found = await findMediaByMarker(site.client, marker)
  const theirs = found === null || found.status === 'trash' ? null : found
  if (theirs !== null) await assertStays(delivering, { kind: 'attachment', id: theirs.id }, marker)
  if (theirs !== null && ours !== null && ours.id !== theirs.id) {
    await deleteMedia(site.client, { id: ours.id })
    ledger.defer('media', 'removed', `attachment ${ours.id}, which was uploaded a second time`)
  }
  // Ours alone carries the marker's meaning, though not its letter: WordPress met another use of the slug.
  const kept = theirs ?? ours ?? (await likelyOwnFile(delivering, answer.id, own, isSame))
  if (kept === null && (await isSame())) throw keptOnce(site.name, answer)
  if (kept === null)
    throw failure(
      'answer_of_another',
      { site: site.name, method: 'POST', doing: 'uploading a file', subject: 'media' },
      { found: `attachment ${answer.id}, which is not the one that was asked for` },
    )
  await ledger.recordMedia(marker, kept.id)
  ledger.defer('media', theirs === null ? 'uploaded' : 'adopted', `attachment ${kept.id}`)
  return kept
}

/** Whether the attachment of an answer, freshly read, has the bytes that were sent. Where they cannot be had, nobody says so. */
async function holdsSame(
  delivering: Delivering,
  { id }: MediaRecord,
  { kind }: NeededFile,
  sent: Uint8Array,
): Promise<boolean> {
  const standing = await getMedia(delivering.site.client, { id })
  if (standing === null || standing.status === 'trash') return false
  try {
    const file = await download(kind, delivering, standing.sourceUrl, { maxBytes: sent.length })
    file.release()
    return Buffer.compare(file.bytes, sent) === 0
  } catch (error) {
    if (error instanceof GalleyError && error.code in downloadFailures) return false
    throw error
  }
}

const keptOnce = (site: string, { id }: MediaRecord): GalleyError =>
  new GalleyError({
    code: 'answer_of_another',
    message: `${site} stored no new file: it answered the upload with attachment ${id}, which has the same content and belongs to somebody else, as a plugin does that keeps each file only once. Galley leaves that attachment alone. Exclude uploads over the REST API from the plugin, or send the document with a copy of the file that differs; if there is no such plugin, exclude /wp-json/ from what caches keep. Then retry this delivery.`,
    fault: 'delivery',
    action: 'owner',
  })

/** Another worker holds the delivery: unless it found our upload by the marker, it has one of its own. */
async function removeUnlessAdopted(delivering: Delivering, { id }: MediaRecord, own: OwnFile): Promise<void> {
  const { ledger, site } = delivering
  const current = (await ledger.media()).get(own.marker)?.mediaId ?? null
  if (current === null || current === id) return
  if ((await provenOwnFile(delivering, id, own)) === null) return
  await deleteMedia(site.client, { id })
  await ledger.recordLate('media', 'removed', `attachment ${id}, which was uploaded a second time`)
}

/** What WordPress may have against a file while the site itself works. */
const REFUSED_FILES: ReadonlySet<string> = new Set<FailureCode>([
  'cannot_upload',
  'upload_too_big',
  'upload_quota_full',
  'upload_refused',
])

/** What a file alone is to blame for: its host, its kind, its size, or this user's rights to upload. */
export const isFailureOfFile = (error: unknown): error is GalleyError =>
  error instanceof GalleyError && (error.code in downloadFailures || REFUSED_FILES.has(error.code))

/** A host that does not answer is asked again in the next attempts before its picture is given up. */
const mayPass = ({ action }: GalleyError, { row }: Delivering): boolean =>
  action !== 'permanent' && action !== 'owner' && row.attempts < TRANSIENT_ATTEMPTS

const TRANSIENT_ATTEMPTS = 2

function doWithout(
  { site, warnings, ledger }: Delivering,
  file: NeededFile,
  failure: GalleyError,
  delivered: DeliveredMedia,
): void {
  const { warning, dropped } = withoutFile(site.settings.picture_policy, file, failure)
  if (dropped) delivered.dropped.add(file.url)
  warnings.push(warning)
  ledger.defer('media', 'skipped', `${failure.code}: ${file.url}`)
}

/**
 * What a post is like without one of its files, as the site is set.
 *
 * @throws GalleyError held, where the site would rather have no post
 */
export function withoutFile(
  policy: SiteSettings['picture_policy'],
  { featured }: NeededFile,
  { code, message }: GalleyError,
): { warning: Warning; dropped: boolean } {
  if (policy === 'hold')
    throw held(code, `${message} The site asks to hold a post whose pictures are missing.`)
  const dropped = policy === 'drop'
  const consequence = featured
    ? 'The post has no featured image.'
    : dropped
      ? 'It was left out of the post.'
      : 'The post shows it from its original address.'
  return { warning: { code, message: `${message} ${consequence}` }, dropped }
}
