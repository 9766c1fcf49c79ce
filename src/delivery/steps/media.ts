import { GalleyError, type Warning } from '../../errors.ts'
import { monotonicNow } from '../../lib/monotonic-clock.ts'
import { truncate } from '../../lib/text.ts'
import { escapeAngleBrackets } from '../../render/escape.ts'
import type { SiteSettings } from '../../sites/settings.ts'
import type { WarningCode } from '../../warnings.ts'
import type { FailureCode } from '../../wordpress/failures/catalogue.ts'
import { wordPressFailure } from '../../wordpress/failures/classify.ts'
import { downloadFile } from '../../wordpress/media/download.ts'
import { type DownloadFailureCode, downloadFailures } from '../../wordpress/media/download-failures.ts'
import { deleteMedia, findMediaByMarker, getMedia, uploadMedia } from '../../wordpress/media/library.ts'
import { preparePicture } from '../../wordpress/media/prepare.ts'
import type { MediaRecord } from '../../wordpress/types.ts'
import { heldError } from '../holds.ts'
import type { LedgerMedia } from '../ledger/ledger.ts'
import {
  findOwnFile,
  hasOwnName,
  likelyOwnFile,
  mediaMarker,
  type NeededFile,
  neededFiles,
  type OwnFile,
  provenOwnFile,
  uploadFileName,
} from './attachments.ts'
import { assertNotBeingRemoved, type Delivering } from './context.ts'

/** Attachments by the address the document gives, and the pictures that will not be shown at all. */
export interface DeliveredMedia {
  records: Map<string, MediaRecord>
  dropped: Set<string>
}

/** The files of a document, brought into the library or found there. */
export interface PlacedMedia extends DeliveredMedia {
  /** Attachments that this attempt has made, and until when (`monotonicNow()`) nobody is taken to have touched them. */
  untouched: Map<number, number>
  /** Whether an upload failed on the way: a site that is being restored, say, may have another post by now. */
  failedOnce: boolean
}

/** Puts the document's files into the library, by `picture_policy` where one cannot be had; a failure of the site is thrown. */
export async function deliverMedia(delivering: Delivering, postId: number): Promise<PlacedMedia> {
  delivering.progress.step = 'media'
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
      const { record, until, failedOnce } = await placeFile(delivering, postId, file, earlier)
      delivered.records.set(file.url, record)
      delivered.untouched.set(record.id, until)
      delivered.failedOnce ||= failedOnce
    } catch (error) {
      if (!isFailureOfFile(error) || isTransientFileFailure(error, delivering)) throw error
      skipFile(delivering, file, error, delivered)
    }
  }
  return delivered
}

interface PlacedFile {
  record: MediaRecord
  until: number
  failedOnce: boolean
}

const staleFile = (record: MediaRecord): PlacedFile => ({ record, until: 0, failedOnce: false })

/** The attachment of one file: the one recorded, the one an unanswered upload left, or a new one. */
async function placeFile(
  delivering: Delivering,
  postId: number,
  file: NeededFile,
  earlier: Map<string, LedgerMedia>,
): Promise<PlacedFile> {
  const { row, site, ledger } = delivering
  const marker = mediaMarker(row.document_id, file.url)
  const own = { postId, file, marker }
  const known = earlier.get(marker)
  if (known !== undefined && known.mediaId !== null) {
    const standing = await getMedia(site.client, { id: known.mediaId })
    if (standing !== null && standing.status !== 'trash' && isOwnUpload(delivering, standing, own))
      return staleFile(standing)
    ledger.defer('media', 'missing', `attachment ${known.mediaId} is not in the library any more`)
  } else if (known?.intended) {
    const left = await adoptLeftover(delivering, own)
    if (left !== null) return staleFile(left)
  }
  return uploadFile(delivering, own)
}

/** What an upload without a clean answer has left, recorded as ours; null where there is nothing. */
async function adoptLeftover(delivering: Delivering, own: OwnFile): Promise<MediaRecord | null> {
  const { ledger, site } = delivering
  const { marker } = own
  // It may still be under way on the site: what it leaves then is looked for later (maintenance/orphans.ts).
  await ledger.record('media', 'looked up', marker, { ambiguous_at: ledger.now() })
  const left = (await findMediaByMarker(site.client, marker)) ?? (await findOwnFile(delivering, own))
  if (left === null) return null
  await assertNotBeingRemoved(delivering, { kind: 'attachment', id: left.id }, marker)
  await ledger.recordMedia(marker, left.id)
  ledger.defer('media', 'adopted', `attachment ${left.id}`)
  return left
}

/** Another file may have its number, on a site that was restored from a backup. */
const isOwnUpload = (delivering: Delivering, standing: MediaRecord, { marker, postId, file }: OwnFile) =>
  standing.slug.startsWith(marker) || standing.post === postId || hasOwnName(delivering, standing, file)

async function uploadFile(delivering: Delivering, own: OwnFile): Promise<PlacedFile> {
  const { postId, file, marker } = own
  const { ledger, site, writer, document } = delivering
  const { settings } = site
  const limits = { maxBytes: settings.max_picture_bytes }
  const { release, ...downloaded } = await downloadFile(file.kind, delivering, file.url, limits)
  let picture = downloaded
  let asked = monotonicNow()
  const send = async () => {
    const { bytes, mimeType, extension } = picture
    await ledger.intendMedia(marker, file.url)
    await ledger.assertHeld()
    asked = monotonicNow()
    return uploadMedia(writer, {
      bytes,
      mimeType,
      fileName: uploadFileName(document, file, extension),
      marker,
      postId,
      title: escapeAngleBrackets(file.title || file.alt || document.title),
      altText: escapeAngleBrackets(file.alt),
      caption: escapeAngleBrackets(file.caption ?? ''),
    })
  }
  const prepareAndSend = async () => {
    const how = { longestSide: settings.max_picture_pixels, warnings: delivering.warnings }
    if (file.kind === 'picture') picture = await preparePicture(downloaded, file.url, how)
    try {
      return await sendOrFind(delivering, own, send)
    } catch (error) {
      if (!isTypeRefused(error, picture.mimeType)) throw error
      picture = await preparePicture(downloaded, file.url, { ...how, isRefused: true })
      return sendOrFind(delivering, own, send)
    }
  }
  const sent = await prepareAndSend().finally(release)
  if ('left' in sent) return { ...staleFile(sent.left), failedOnce: true }
  const { record, failedOnce } = sent
  if (record.slug !== marker) {
    const isSame = () => hasSameBytes(delivering, record, file, picture.bytes)
    return { ...staleFile(await mediaUnderOtherSlug(delivering, record, own, isSame)), failedOnce }
  }
  await ledger.recordMedia(marker, record.id)
  ledger.defer('media', 'uploaded', `attachment ${record.id} from ${truncate(file.url, 200)}`)
  return { record, until: asked + delivering.untouchedMs.made, failedOnce }
}

/** Types that WordPress and its server take since 5.8 and 6.5, where nothing switches them off. */
const RECENT_TYPES: ReadonlySet<string> = new Set(['image/webp', 'image/avif'])

const isTypeRefused = (error: unknown, mimeType: string): boolean =>
  error instanceof GalleyError && error.code === 'upload_refused' && RECENT_TYPES.has(mimeType)

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
    const left = await adoptLeftover(delivering, own)
    if (left !== null) return { left }
  }
}

/**
 * Another slug than the marker means that this file was there before, and ours goes; or that a plugin renames attachments; or that the
 * answer is another file’s, from a cache or a plugin that keeps each file once. @param isSame whether it has the bytes of ours
 */
async function mediaUnderOtherSlug(
  delivering: Delivering,
  answer: MediaRecord,
  own: OwnFile,
  isSame: () => Promise<boolean>,
): Promise<MediaRecord> {
  const { site, ledger } = delivering
  const { marker } = own
  const ours = await provenOwnFile(delivering, answer.id, own)
  const theirs = await findMediaByMarker(site.client, marker)
  if (theirs !== null) await assertNotBeingRemoved(delivering, { kind: 'attachment', id: theirs.id }, marker)
  if (theirs !== null && ours !== null && ours.id !== theirs.id) {
    await deleteMedia(site.client, { id: ours.id })
    ledger.defer('media', 'removed', `attachment ${ours.id}, which was uploaded a second time`)
  }
  // Ours alone carries the marker's meaning, though not its letter: WordPress met another use of the slug.
  const kept = theirs ?? ours ?? (await likelyOwnFile(delivering, answer.id, own, isSame))
  if (kept === null && (await isSame()))
    throw new GalleyError({
      code: 'answer_of_another',
      message: `${site.name} stored no new file: it answered the upload with attachment ${answer.id}, which has the same content and belongs to somebody else, as a plugin does that keeps each file only once. Galley leaves that attachment alone. Exclude uploads over the REST API from the plugin, or send the document with a copy of the file that differs; if there is no such plugin, exclude /wp-json/ from what caches keep. Then retry this delivery.`,
      fault: 'delivery',
      action: 'owner',
    })
  if (kept === null)
    throw wordPressFailure(
      'answer_of_another',
      { site: site.name, method: 'POST', doing: 'uploading a file' },
      { found: `attachment ${answer.id}, which is not the one that was asked for` },
    )
  await ledger.recordMedia(marker, kept.id)
  ledger.defer('media', theirs === null ? 'uploaded' : 'adopted', `attachment ${kept.id}`)
  return kept
}

/** Whether the attachment of an answer, freshly read, has the bytes that were sent. Where they cannot be had, nobody says so. */
async function hasSameBytes(
  delivering: Delivering,
  { id }: MediaRecord,
  { kind }: NeededFile,
  sent: Uint8Array,
): Promise<boolean> {
  const standing = await getMedia(delivering.site.client, { id })
  if (standing === null || standing.status === 'trash') return false
  try {
    const file = await downloadFile(kind, delivering, standing.sourceUrl, { maxBytes: sent.length })
    file.release()
    return Buffer.compare(file.bytes, sent) === 0
  } catch (error) {
    if (error instanceof GalleyError && error.code in downloadFailures) return false
    throw error
  }
}

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
const isTransientFileFailure = ({ action }: GalleyError, { row }: Delivering): boolean =>
  action !== 'permanent' && action !== 'owner' && row.attempts < TRANSIENT_ATTEMPTS

const TRANSIENT_ATTEMPTS = 2

function skipFile(
  { site, warnings, ledger }: Delivering,
  file: NeededFile,
  failure: GalleyError,
  delivered: DeliveredMedia,
): void {
  const { warning, dropped } = skippedFileWarning(site.settings.picture_policy, file, failure)
  if (dropped) delivered.dropped.add(file.url)
  warnings.push(warning)
  ledger.defer('media', 'skipped', `${failure.code}: ${truncate(file.url, 200)}`)
}

const nameOf = ({ alt, url }: Pick<NeededFile, 'alt' | 'url'>): string =>
  alt === '' ? truncate(url, 80) : `“${truncate(alt, 80)}”`

/** Failures of what no browser shows at its original address either, but for kinds that WordPress alone refuses. */
const UNSHOWN_FAILURES: ReadonlySet<string> = new Set([
  'picture_not_an_image',
  'picture_too_many_pixels',
  'audio_not_audio',
])

/** Failures of what readers get no more than Galley does. */
const UNAVAILABLE: ReadonlySet<string> = new Set<DownloadFailureCode>([
  'picture_missing',
  'picture_unreachable',
  'audio_missing',
  'audio_unreachable',
  'file_missing',
  'file_unreachable',
])

const skippedFileCode = (
  { isLeftOut, kind }: Pick<NeededFile, 'kind'> & { isLeftOut: boolean },
  failure: string,
): WarningCode => {
  if (isLeftOut) return kind === 'picture' ? 'picture_left_out' : 'file_left_out'
  return UNAVAILABLE.has(failure) ? 'file_unavailable' : 'file_kept_remote'
}

/** What a post is like without one of its files. @throws GalleyError held, where the site would rather have no post */
export function skippedFileWarning(
  policy: SiteSettings['picture_policy'],
  { alt, featured, inText, kind, url }: NeededFile,
  { code, message: failure }: GalleyError,
): { warning: Warning; dropped: boolean } {
  const isNamed = failure.includes(url.slice(0, 100)) && !(url.startsWith('data:') && alt !== '')
  const message = isNamed ? failure : `${nameOf({ alt, url })}: ${failure}`
  if (policy === 'hold')
    throw heldError(code, `${message} The site asks to hold a post whose pictures are missing.`)
  const isShown =
    /^https?:/i.test(url) && (!UNSHOWN_FAILURES.has(code) || /\.(svg|bmp|ico)([?#]|$)/i.test(url))
  const dropped = policy === 'drop' || !isShown
  const consequences = [
    ...(featured ? ['The post has no featured image.'] : []),
    ...(inText && dropped ? ['It was left out of the post.'] : []),
    ...(inText && !dropped
      ? [`The post ${kind === 'file' ? 'links to' : 'shows it from'} its original address.`]
      : []),
  ]
  return {
    warning: {
      code: skippedFileCode({ isLeftOut: featured || dropped, kind }, code),
      message: [message, ...consequences].join(' '),
    },
    dropped,
  }
}
