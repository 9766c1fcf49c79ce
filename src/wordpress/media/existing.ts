import { z } from 'zod'
import { read, type WordPressClient } from '../client/index.ts'
import { id, listOf } from '../fields.ts'

/** As many as WordPress lists on a page. */
const PAGE = 100

const idsSchema = listOf(z.object({ id }))

/** Which of these attachments the library has, outside its trash. */
export async function existingMedia(client: WordPressClient, ids: readonly number[]): Promise<Set<number>> {
  const existing = new Set<number>()
  for (let from = 0; from < ids.length; from += PAGE) {
    const { value } = await read(client, idsSchema, {
      path: '/wp/v2/media',
      query: {
        include: ids.slice(from, from + PAGE).join(','),
        per_page: PAGE,
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
