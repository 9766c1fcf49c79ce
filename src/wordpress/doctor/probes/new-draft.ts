import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { deletePost, fillPost, findPostsByMarker, isTitleOf, reservePost } from '../../posts/index.ts'
import type { PostRecord } from '../../types.ts'
import { type LeftBehind, removeOrTell } from './left-behind.ts'
import { probeTitle } from './temporary.ts'

/** A draft of a probe, and whether a plugin crashes over one that is made with a slug. */
export interface NewDraft {
  draft: PostRecord
  crashesOnSlugs: boolean
}

/**
 * Makes a draft as a delivery does: where a plugin crashes over a new draft that has a slug (VIP Workflow) and has left
 * none behind, it is made without, and gets its slug once it is there.
 *
 * @param leftBehind what this leaves when it fails is added to it
 */
export async function newDraft(
  client: WordPressClient,
  { postType, marker }: { postType: string; marker: string },
  leftBehind: LeftBehind[],
): Promise<NewDraft> {
  const wanted = { postType, title: probeTitle(marker), withActions: true }
  try {
    return { draft: await reservePost(client, { ...wanted, marker }), crashesOnSlugs: false }
  } catch (error) {
    if (!(error instanceof GalleyError && error.code === 'php_fatal_error')) throw error
    if ((await findPostsByMarker(client, { postType, marker })).length > 0) throw error
    const { id, actions, title } = await reservePost(client, { ...wanted, marker: null })
    // Nothing else tells that the answer is not a cache's, about somebody's post.
    if (!isTitleOf(title, wanted.title)) throw error
    try {
      const draft = await fillPost(client, { postType, id, fields: { slug: marker } })
      return { draft: { ...draft, actions }, crashesOnSlugs: true }
    } catch (failed) {
      // Nobody would find it by its slug.
      const remove = async () => {
        await deletePost(client, { postType, id })
        return []
      }
      leftBehind.push(...(await removeOrTell(`a draft with the title “${wanted.title}”`, remove)))
      throw failed
    }
  }
}
