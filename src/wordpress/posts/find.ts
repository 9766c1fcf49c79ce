import { read, type WordPressClient } from '../client/index.ts'
import { listOf } from '../fields.ts'
import { postSchema, titledSchema } from '../records.ts'
import { bySlugs, PER_PAGE } from '../slugs.ts'
import type { PostRecord } from '../types.ts'
import { numberedSlugsOf, slugsOf } from './marker.ts'
import { POST_QUERY } from './query.ts'
import { type PostRoute, route } from './requests.ts'
import { unfinished, withStatuses } from './statuses.ts'

/**
 * The posts that carry a marker, the oldest first, in every status and also when trashed. An author or a
 * contributor is shown only what that user may edit, so it is looked up with the user that created it.
 */
export const findPostsByMarker = (
  client: WordPressClient,
  { postType, marker }: PostRoute & { marker: string },
): Promise<PostRecord[]> =>
  client.traffic.gather(`posts of the type ${postType} by marker`, marker, (markers) =>
    bySlugs(markers, slugsOf, (slugs) => findPosts(client, postType, slugs)),
  )

/** The posts with a marker as their slug, or with the marker and the number by which WordPress tells slugs apart. */
export const findPostVariants = (
  client: WordPressClient,
  { postType, marker }: PostRoute & { marker: string },
): Promise<PostRecord[]> => findPosts(client, postType, numberedSlugsOf(marker))

/** The posts that have one of these slugs, the oldest first, in every status. */
export const findPostsBySlug = (
  client: WordPressClient,
  { postType, slugs }: PostRoute & { slugs: readonly string[] },
): Promise<PostRecord[]> => findPosts(client, postType, slugs)

/** A draft by which somebody may be known. */
export interface TitledDraft {
  id: number
  title: string
}

/** Drafts that are looked through for several titles: those who ask have made theirs a moment ago. */
const NEWEST = 100
/** Drafts that hold the words of one title. */
const ALIKE = 20

/**
 * The newest drafts that may have this title, for sites where slugs do not last. Which of them is whose, the caller has to
 * prove. Who asks alone has the site search for its words; for several who ask in the same moment, as those whose batch
 * was lost, one list of the newest drafts does.
 */
export const findDraftsByTitle = (
  client: WordPressClient,
  { postType, title }: PostRoute & { title: string },
): Promise<TitledDraft[]> =>
  client.traffic.gather(`drafts of the type ${postType} by title`, title, async (titles) => {
    const [only] = titles
    const drafts = await newestDrafts(client, postType, titles.length === 1 ? only : undefined)
    return titles.map(() => drafts)
  })

async function newestDrafts(
  client: WordPressClient,
  postType: string,
  search: string | undefined,
): Promise<TitledDraft[]> {
  return withStatuses(client, { postType }, async (all) => {
    const statuses = unfinished(all)
    if (statuses.length === 0) return []
    const { value } = await read(client, listOf(titledSchema), {
      path: route({ postType }),
      query: {
        context: 'edit',
        _fields: 'id,title.raw',
        search,
        status: statuses.join(),
        orderby: 'id',
        order: 'desc',
        per_page: search === undefined ? NEWEST : ALIKE,
      },
      doing: 'looking for the post by its title',
      subject: 'post',
    })
    return value
  })
}

async function findPosts(
  client: WordPressClient,
  postType: string,
  slugs: readonly string[],
): Promise<PostRecord[]> {
  const posts = await withStatuses(client, { postType }, async (statuses) => {
    const { value } = await read(client, listOf(postSchema), {
      path: route({ postType }),
      query: {
        ...POST_QUERY,
        slug: slugs.join(),
        status: [...statuses, 'trash'].join(),
        orderby: 'id',
        order: 'asc',
        per_page: PER_PAGE,
      },
      doing: 'looking for the post',
      subject: 'post',
    })
    return value
  })
  // Some plugins ignore parameters they do not know, and then answer other posts.
  return posts.filter((post) => slugs.includes(post.slug))
}
