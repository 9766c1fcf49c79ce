import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { deleteMedia, findMediaByMarker, getMedia, type MediaUpload, uploadMedia } from '../../media/index.ts'
import { deletePost, findPostsByMarker, getPost, isTitleOf } from '../../posts/index.ts'
import { readPostTypes } from '../../schema/index.ts'
import type { MediaRecord, PostRecord } from '../../types.ts'

/** What a probe could not take away again, in words. */
export type LeftBehind = string[]

/** How the title of every draft begins that a probe makes. */
export const PROBE_TITLE = 'Galley connection check'

/** Of one of them: some plugins refuse two posts with one title. */
export const probeTitle = (marker: string): string => `${PROBE_TITLE} ${marker.slice(-16)}`

interface Draft {
  postType: string
  marker: string
  /** Where it is known; a failed answer may hide a draft that was made. */
  id: number | undefined
}

/** Takes it away, also where a plugin has made it a post of another type. */
export function removeDraft(client: WordPressClient, { postType, marker, id }: Draft): Promise<LeftBehind> {
  return remove(`a draft with the slug ${marker}`, async () => {
    const known = id === undefined ? null : await getPost(client, { postType, id })
    if (known !== null) return removeOurs(client, postType, marker, [known])
    await removeOurs(client, postType, marker, await findPostsByMarker(client, { postType, marker }))
    const type = id === undefined ? null : await otherTypeOf(client, { postType, id })
    const moved = id === undefined || type === null ? null : await getPost(client, { postType: type, id })
    if (type !== null && moved !== null) await removeOurs(client, type, marker, [moved])
  })
}

/** An answer from a cache may have named somebody else's post. */
async function removeOurs(
  client: WordPressClient,
  postType: string,
  marker: string,
  found: PostRecord[],
): Promise<void> {
  for (const { id, slug, title } of found)
    if (isOurs({ slug, title }, marker)) await deletePost(client, { postType, id })
}

const isOurs = ({ slug, title }: Pick<PostRecord, 'slug' | 'title'>, marker: string): boolean =>
  slug.startsWith(marker) || isTitleOf(title, probeTitle(marker))

/**
 * Whether the draft that a creation was answered with is the one that was asked for: it has our slug or our title, or where
 * plugins have rewritten both, it is a draft without a text. A cache may answer with somebody's finished post.
 */
export async function isOwnDraft(
  client: WordPressClient,
  { postType, marker, draft }: { postType: string; marker: string; draft: PostRecord },
): Promise<boolean> {
  if (isOurs(draft, marker)) return true
  const look = await getPost(client, { postType, id: draft.id })
  return look !== null && (isOurs(look, marker) || (look.status === 'draft' && look.content === ''))
}

/** Each is a request. */
const MOST_TYPES = 20

/** The type in which a post stands that is none of its own type any more; null where there is none. */
export async function otherTypeOf(
  client: WordPressClient,
  { postType, id }: { postType: string; id: number },
): Promise<string | null> {
  for (const { restBase } of (await readPostTypes(client)).slice(0, MOST_TYPES)) {
    const isThere = restBase !== postType && (await stands(client, { postType: restBase, id }))
    if (isThere) return restBase
  }
  return null
}

/** Types of plugins answer in ways of their own. */
async function stands(client: WordPressClient, post: { postType: string; id: number }): Promise<boolean> {
  try {
    return (await getPost(client, post)) !== null
  } catch (error) {
    if (error instanceof GalleyError && error.fault !== 'galley') return false
    throw error
  }
}

/** A file that was uploaded and removed. */
interface Uploaded {
  refusal: GalleyError | null
  /** As it was seen in the library; as it was answered where nobody may look. */
  file: MediaRecord | null
  /** What the site has against looking at it. */
  unread: GalleyError | null
  leftBehind: LeftBehind
}

/** Uploads a file and deletes it again, also where a failed answer hides that it is there. */
export async function uploadBriefly(client: WordPressClient, upload: MediaUpload): Promise<Uploaded> {
  const what = `a file with the slug ${upload.marker}`
  try {
    const answer = await uploadMedia(client, upload)
    const { id } = answer
    const look = await getMedia(client, { id }).catch(asRefusal)
    const unread = look instanceof GalleyError ? look : null
    const file = look instanceof GalleyError ? answer : look
    const ours = file !== null && isProbe(file, upload)
    const leftBehind = ours ? await remove(what, () => deleteMedia(client, { id })) : []
    return { refusal: null, file, unread, leftBehind }
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    if (error.action !== 'ambiguous') return { refusal: error, file: null, unread: null, leftBehind: [] }
    const leftBehind = await remove(what, async () => {
      const hidden = await findMediaByMarker(client, upload.marker)
      if (hidden) await deleteMedia(client, { id: hidden.id })
    })
    return { refusal: error, file: null, unread: null, leftBehind }
  }
}

/** What this user is refused; any other failure is thrown. */
function asRefusal(error: unknown): GalleyError {
  if (error instanceof GalleyError && error.fault === 'owner') return error
  throw error
}

/** An answer from a cache may name somebody else's file. */
const isProbe = ({ slug, sourceUrl }: MediaRecord, { marker }: MediaUpload): boolean =>
  slug.startsWith(marker) || sourceUrl.includes(marker)

/** A firewall that blocked the probe may block the next request too; one more try is worth it. */
async function remove(what: string, act: () => Promise<void>, tries = 2): Promise<LeftBehind> {
  try {
    await act()
    return []
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    return tries > 1 ? remove(what, act, tries - 1) : [`${what} (${error.code})`]
  }
}
