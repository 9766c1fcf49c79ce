import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { fillPost, getPost } from '../../posts/index.ts'
import type { Byline, PostRecord } from '../../types.ts'

interface Wanted {
  postType: string
  /** The probe's own draft. */
  draft: PostRecord
  author: number
  /** Null where no plugin keeps one, or where it knows no author for the user. */
  byline: Byline | null
}

export interface TriedAuthor {
  /** Of the author; nothing else was tried then. */
  authorRefused: GalleyError | null
  /** Of the byline alone. */
  bylineRefused: GalleyError | null
  /** What stands in the end; null where it was refused, or nobody can tell. */
  stands: PostRecord | null
}

/**
 * Gives the probe's own draft the author and the byline of the settings, as a delivery does, and looks what stands. The
 * draft gets its author back: not everybody may delete what is another's.
 */
export async function tryAuthor(
  client: WordPressClient,
  { postType, draft, author, byline }: Wanted,
): Promise<TriedAuthor> {
  const { id } = draft
  const write = (fields: { author?: number; byline?: Byline }) =>
    refusalOf(() => fillPost(client, { postType, id, fields }))
  const both = await write({ author, ...(byline && { byline }) })
  const authorRefused = both !== null && byline !== null ? await write({ author }) : both
  const stands = authorRefused === null ? await getPost(client, { postType, id }) : null
  if (stands !== null && stands.author !== draft.author && draft.author > 0)
    await write({ author: draft.author })
  return { authorRefused, bylineRefused: authorRefused === null ? both : null, stands }
}

async function refusalOf(act: () => Promise<unknown>): Promise<GalleyError | null> {
  try {
    await act()
    return null
  } catch (error) {
    if (error instanceof GalleyError) return error
    throw error
  }
}
