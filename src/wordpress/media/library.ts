import { z } from 'zod'
import { asFailure, GalleyError, recoverWith } from '../../errors.ts'
import {
  assertAnswerMatchesRequest,
  requestParsed,
  type WordPressClient,
  type WordPressRequest,
} from '../client/client.ts'
import { multipart } from '../client/multipart.ts'
import { boundedArray, idSchema, resolveOnSite } from '../fields.ts'
import { findByMarkers, numberedMarkerSlugs } from '../markers.ts'
import { mediaSchema } from '../records.ts'
import type { MediaRecord } from '../types.ts'
import type { MediaUpload } from './file-type.ts'

/** What is read of a file (`mediaSchema`); its description would be rendered for every answer. */
const MEDIA_FIELDS = 'id,slug,status,source_url,link,mime_type,alt_text,post,media_details'

const MEDIA_QUERY = { context: 'edit', _fields: MEDIA_FIELDS } as const

/** The most that WordPress answers at once; also slugs asked for together (`SLUGS_PER_PAGE`). */
const MEDIA_PER_PAGE = 100

const requestMedia = async (client: WordPressClient, request: WordPressRequest): Promise<MediaRecord> =>
  withAbsoluteUrls(client, (await requestParsed(client, mediaSchema, request)).value)

/** The oldest first. */
async function listMedia(
  client: WordPressClient,
  { query, doing }: Pick<WordPressRequest, 'query' | 'doing'>,
): Promise<MediaRecord[]> {
  const { value } = await requestParsed(client, boundedArray(mediaSchema), {
    path: '/wp/v2/media',
    query: { ...query, ...MEDIA_QUERY, orderby: 'id', order: 'asc', per_page: MEDIA_PER_PAGE },
    doing,
    subject: 'media',
  })
  return value.map((file) => withAbsoluteUrls(client, file))
}

/** Plugins that shorten addresses leave the host out of them; a post may be read elsewhere, as in a feed. */
function withAbsoluteUrls({ site: { restRoot } }: WordPressClient, file: MediaRecord): MediaRecord {
  const sizes = Object.entries(file.sizes).map(([name, size]) => [
    name,
    { ...size, url: resolveOnSite(size.url, restRoot) },
  ])
  return {
    ...file,
    sourceUrl: resolveOnSite(file.sourceUrl, restRoot),
    link: resolveOnSite(file.link, restRoot),
    sizes: Object.fromEntries(sizes),
  }
}

/** The attachment, or `null` where the library has none by this id. */
export async function getMedia(client: WordPressClient, { id }: { id: number }): Promise<MediaRecord | null> {
  const request = {
    path: `/wp/v2/media/${id}`,
    query: MEDIA_QUERY,
    doing: 'reading a file of the media library',
    subject: 'media',
  } as const
  try {
    const value = await requestMedia(client, request)
    assertAnswerMatchesRequest(client, request, value.id === id, `file ${value.id} instead of ${id}`)
    return value
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    if (error.code === 'media_gone') return null
    // A server that shows its own page for HTTP 404 leaves nothing of WordPress's answer.
    if (error.code === 'not_found' && !(await findExistingMedia(client, [id])).has(id)) return null
    throw error
  }
}

/** Deletes the attachment and its files for good. One that is not there any more counts as deleted. */
export async function deleteMedia(client: WordPressClient, { id }: { id: number }): Promise<void> {
  const deletion = client.request({
    method: 'DELETE',
    path: `/wp/v2/media/${id}`,
    query: { force: true },
    doing: 'deleting a file of the media library',
    subject: 'media',
    repeatable: true,
  })
  await deletion.catch(recoverWith(null, ({ code }) => code === 'media_gone'))
}

const idsSchema = boundedArray(z.object({ id: idSchema }))

/** Which of these attachments the library has, outside its trash. */
export async function findExistingMedia(
  client: WordPressClient,
  ids: readonly number[],
): Promise<Set<number>> {
  const existing = new Set<number>()
  for (let from = 0; from < ids.length; from += MEDIA_PER_PAGE) {
    const { value } = await requestParsed(client, idsSchema, {
      path: '/wp/v2/media',
      query: {
        include: ids.slice(from, from + MEDIA_PER_PAGE).join(','),
        per_page: MEDIA_PER_PAGE,
        status: 'inherit,private',
        context: 'edit',
        _fields: 'id',
      },
      doing: 'looking whether the pictures of a post stand in the media library',
      subject: 'media',
    })
    for (const { id: found } of value) existing.add(found)
  }
  return existing
}

/** The attachment with this marker as its slug outside the trash, or `null`; looked up with the user that uploaded it. */
export async function findMediaByMarker(
  client: WordPressClient,
  marker: string,
): Promise<MediaRecord | null> {
  const [found] = await client.traffic.gather('files by marker', marker, (markers) =>
    findByMarkers(
      markers,
      (slug) => [slug],
      (slugs) => findMedia(client, slugs),
    ),
  )
  return found ?? null
}

/** The attachments outside the trash with a marker as their slug, or with the marker and a number, since slugs are unique. */
export const findMediaVariants = (client: WordPressClient, marker: string): Promise<MediaRecord[]> =>
  findMedia(client, numberedMarkerSlugs(marker))

/** The attachments of a post, the oldest first (at most 100): another way to one's own where slugs do not last. */
export async function findMediaOfPost(client: WordPressClient, postId: number): Promise<MediaRecord[]> {
  const files = await listMedia(client, {
    query: { parent: postId, status: 'inherit,private' },
    doing: 'looking for the files of a post',
  })
  return files.filter(({ post }) => post === postId)
}

async function findMedia(client: WordPressClient, slugs: readonly string[]): Promise<MediaRecord[]> {
  const files = await listMedia(client, {
    query: { slug: slugs.join(), status: 'inherit,private' },
    doing: 'looking for a file in the media library',
  })
  return files.filter((file) => slugs.includes(file.slug))
}

/** Uploads a file with everything about it; one whose sub-sizes failed is finished. The marker becomes the slug. */
export async function uploadMedia(client: WordPressClient, upload: MediaUpload): Promise<MediaRecord> {
  try {
    return await requestMedia(client, {
      method: 'POST',
      path: '/wp/v2/media',
      query: MEDIA_QUERY,
      form: uploadForm(upload),
      doing: `uploading ${upload.fileName}`,
      subject: 'media',
    })
  } catch (error) {
    const left = failedUploadSchema.safeParse(asFailure(error).details)
    if (!left.success) throw error
    return finishPostProcessing(client, left.data.attachmentId, upload.fileName)
  }
}

const uploadForm = ({ bytes, mimeType, fileName, marker, title, altText, caption, postId }: MediaUpload) =>
  multipart(
    { slug: marker, title, alt_text: altText, caption, post: postId?.toString() },
    { name: fileName, mimeType, bytes },
  )

/** Each round makes the sub-sizes that memory or time did not reach in the one before. */
const MAX_ROUNDS = 5

/** The attachment that a failed upload left, which WordPress names in `X-WP-Upload-Attachment-ID`. */
const failedUploadSchema = z.object({ attachmentId: idSchema })

/** As the block editor does. One whose sub-sizes cannot be made is adopted in its full size. */
async function finishPostProcessing(client: WordPressClient, id: number, fileName: string) {
  for (let round = 1; ; round++) {
    try {
      return await requestMedia(client, {
        method: 'POST',
        path: `/wp/v2/media/${id}/post-process`,
        query: MEDIA_QUERY,
        data: { action: 'create-image-subsizes' },
        doing: `finishing ${fileName}`,
        subject: 'media',
        timeoutMs: 120_000,
      })
    } catch (error) {
      if (!(error instanceof GalleyError) || error.fault !== 'site') throw error
      if (round < MAX_ROUNDS) continue
      const media = await getMedia(client, { id })
      if (media) return media
      throw error
    }
  }
}
