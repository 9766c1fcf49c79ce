import { z } from 'zod'
import { GalleyError } from '../../../errors.ts'
import { read, type WordPressClient } from '../../client/index.ts'
import { listOf } from '../../fields.ts'
import type { CurrentUser } from '../../types.ts'

/** What people here write their posts in. */
export type WrittenIn = 'blocks' | 'no blocks'

/** The newest say what people use now. */
const NEWEST = 5

const writtenSchema = listOf(z.object({ content: z.object({ block_version: z.number() }).optional() }))

/**
 * How the newest public posts of other people were written; null where this user is shown none, as one who may not edit
 * what is others'. Galley's own are left out: they say nothing of the editor.
 */
export async function writtenIn(
  client: WordPressClient,
  { postType, user }: { postType: string; user: CurrentUser },
): Promise<WrittenIn | null> {
  if (user.id === 0) return null
  try {
    const { value } = await read(client, writtenSchema, {
      path: `/wp/v2/${postType}`,
      query: {
        context: 'edit',
        _fields: 'content.block_version',
        author_exclude: user.id,
        // By date, those of one second come in any order.
        orderby: 'id',
        per_page: NEWEST,
      },
      doing: 'looking how posts are written',
      subject: 'post',
    })
    const versions = value.flatMap(({ content }) => (content ? [content.block_version] : []))
    if (versions.length === 0) return null
    return versions.some((version) => version > 0) ? 'blocks' : 'no blocks'
  } catch (error) {
    if (error instanceof GalleyError && error.fault !== 'galley') return null
    throw error
  }
}
