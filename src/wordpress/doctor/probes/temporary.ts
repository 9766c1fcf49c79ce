import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { deletePost, findPostsByMarker, getPost, hasNoText, isTitleOf } from '../../posts/index.ts'
import { readPostTypes } from '../../schema/index.ts'
import type { PostRecord } from '../../types.ts'
import { type LeftBehind, removeOrTell, unrecognised } from './left-behind.ts'

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

/**
 * Takes it away, also where a plugin has made it a post of another type, or answered with another one. Nothing is deleted
 * that is not proven to be that draft.
 */
export function removeDraft(client: WordPressClient, { postType, marker, id }: Draft): Promise<LeftBehind[]> {
  return removeOrTell(`a draft with the slug ${marker}`, async () => {
    const known = id === undefined ? null : await getPost(client, { postType, id })
    if (known !== null && (await removeIfOurs(client, postType, marker, known))) return []
    // An answer that names somebody else's may hide that ours was made.
    const found = await findPostsByMarker(client, { postType, marker })
    for (const post of found) await deletePost(client, { postType, id: post.id })
    if (id === undefined || found.length > 0) return []
    if (known !== null) return [unrecognised(nameOf(known))]
    const type = await otherTypeOf(client, { postType, id })
    const moved = type === null ? null : await getPost(client, { postType: type, id })
    if (type === null || moved === null || (await removeIfOurs(client, type, marker, moved))) return []
    return [unrecognised(nameOf(moved))]
  })
}

async function removeIfOurs(
  client: WordPressClient,
  postType: string,
  marker: string,
  { id, slug, title }: PostRecord,
): Promise<boolean> {
  if (!isOurs({ slug, title }, marker)) return false
  await deletePost(client, { postType, id })
  return true
}

const nameOf = ({ id, title }: PostRecord): string => `post ${id} (“${title}”)`

const isOurs = ({ slug, title }: Pick<PostRecord, 'slug' | 'title'>, marker: string): boolean =>
  slug.startsWith(marker) || isTitleOf(title, probeTitle(marker))

/**
 * Whose the draft is that a creation was answered with: ours where it has our slug or our title; `hidden` where plugins may
 * have rewritten both, and it is a draft without a text; else somebody's, as a cache may answer with a finished post.
 */
export async function whoseDraft(
  client: WordPressClient,
  { postType, marker, draft }: { postType: string; marker: string; draft: PostRecord },
): Promise<'ours' | 'hidden' | 'another'> {
  if (isOurs(draft, marker)) return 'ours'
  const look = await getPost(client, { postType, id: draft.id })
  if (look !== null && isOurs(look, marker)) return 'ours'
  return look !== null && look.status === 'draft' && hasNoText(look.content) ? 'hidden' : 'another'
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
