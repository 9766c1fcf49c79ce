import { z } from 'zod'
import { GalleyError, recoverWith } from '../../errors.ts'
import {
  assertAnswerMatchesRequest,
  requestParsed,
  type WordPressClient,
  type WordPressRequest,
} from '../client/client.ts'
import { boundedArray, idSchema } from '../fields.ts'
import { wordsIn } from '../html.ts'
import { CORE_STATUSES, findByMarkers, markerSlugs, numberedMarkerSlugs, SLUGS_PER_PAGE } from '../markers.ts'
import { postSchema, titledSchema } from '../records.ts'
import { tryReadPostSchema } from '../schema.ts'
import type { PostRecord } from '../types.ts'

export interface PostRoute {
  /** The type's REST base: `posts`, `pages`, or a custom type's. */
  postType: string
}

export const postRoute = ({ postType }: PostRoute, id?: number): string =>
  id === undefined ? `/wp/v2/${postType}` : `/wp/v2/${postType}/${id}`

/** A request to one post, which answers that post. @throws `answer_of_another` */
export async function requestPost(
  client: WordPressClient,
  { postType, id, ...asked }: PostRoute & { id: number } & Omit<WordPressRequest, 'path' | 'subject'>,
) {
  const request = { ...asked, path: postRoute({ postType }, id), subject: 'post' } as const
  const answered = await requestParsed(client, postSchema, request)
  const found = answered.value.id
  assertAnswerMatchesRequest(client, request, found === id, `post ${found} instead of ${id}`)
  return answered
}

/** Deletes for good, past the trash. A post that is not there any more counts as deleted. */
export async function deletePost(client: WordPressClient, { postType, id }: PostRoute & { id: number }) {
  const deletion = client.request({
    method: 'DELETE',
    path: postRoute({ postType }, id),
    query: { force: true },
    doing: 'deleting the post',
    subject: 'post',
    repeatable: true,
  })
  await deletion.catch(recoverWith(null, ({ code }) => code === 'post_gone'))
}

/** What is read of a post (`postSchema`): rendering a text that nobody reads takes as long as saving it (docs/wordpress.md). */
const POST_FIELDS = [
  'id,status,slug,link,modified_gmt,author,title.raw,content.raw,excerpt.raw,categories,tags',
  'featured_media,password,meta,acf,coauthors,ppma_author,authorship,permalink_template',
]

export const POST_QUERY = { context: 'edit', _fields: POST_FIELDS.join() } as const

/** The same, with members of a post that are read for some documents alone. */
export const withMembers = <PostQuery extends { _fields: string }>(
  query: PostQuery,
  members: readonly string[],
): PostQuery => ({ ...query, _fields: [...new Set([query._fields, ...members.map(topMember)])].join() })

/** `meta` of `meta.subtitle`. */
const topMember = (name: string): string => name.split('.')[0] ?? name

/** The same, for whoever asks what the user may do with the post: the links `wp:action-…`. */
export const POST_QUERY_WITH_ACTIONS = withMembers(POST_QUERY, ['_links'])

/** The same after a write: `status` and `type` are as saved, the others show what a plugin has done meanwhile. */
export const WRITTEN_POST_QUERY = withMembers(POST_QUERY, ['type', 'class_list'])

/**
 * Every status of this type on this site, the trash aside. Editorial plugins take some of core’s away, which a request must not name (400),
 * and add their own, which a lookup must not leave out: it would make a second post.
 */
const statusesOf = (client: WordPressClient, type: PostRoute): Promise<string[]> =>
  client.traffic.remember(statusesCacheKey(client, type), async () => {
    const { statuses } = (await tryReadPostSchema(client, type)) ?? { statuses: [] }
    return statuses.length > 0 ? statuses : CORE_STATUSES
  })

/** Looks in all of these statuses; once more where the site does not have one of them any more that is remembered. */
export async function queryAllStatuses<Found>(
  client: WordPressClient,
  type: PostRoute,
  look: (statuses: string[]) => Promise<Found>,
): Promise<Found> {
  const statuses = await statusesOf(client, type)
  try {
    return await look(statuses)
  } catch (error) {
    if (!refusesStatus(error)) throw error
    client.traffic.forget(statusesCacheKey(client, type))
    const now = await statusesOf(client, type)
    if (now.join() === statuses.join()) throw error
    return look(now)
  }
}

const statusesCacheKey = ({ site }: WordPressClient, { postType }: PostRoute): string =>
  JSON.stringify([site.restRoot, 'statuses', postType])

/** Of these statuses, those of a post that is not finished: neither shown to anybody nor handed in. */
export const unfinishedStatuses = (statuses: readonly string[]): string[] =>
  statuses.filter((status) => !FINISHED.has(status))

const FINISHED: ReadonlySet<string> = new Set(['publish', 'future', 'private', 'pending', 'trash'])

/** Whether a refusal is about the status that was asked for, which the site does not have. */
export function refusesStatus(error: unknown): error is GalleyError {
  if (!(error instanceof GalleyError && error.code === 'field_refused')) return false
  const params = (error.details as { wordpress?: { data?: { params?: unknown } } } | undefined)?.wordpress
    ?.data?.params
  return typeof params === 'object' && params !== null && 'status' in params
}

/** Oldest first, in every status and the trash; looked up with the user that created them, who sees them. */
export const findPostsByMarker = (
  client: WordPressClient,
  { postType, marker }: PostRoute & { marker: string },
): Promise<PostRecord[]> =>
  client.traffic.gather(`posts of the type ${postType} by marker`, marker, (markers) =>
    findByMarkers(markers, markerSlugs, (slugs) => findPostsBySlug(client, { postType, slugs })),
  )

/** The posts with this marker as their slug, or with that and the number by which WordPress tells slugs apart. */
export const findPostVariants = (
  client: WordPressClient,
  { postType, marker }: PostRoute & { marker: string },
): Promise<PostRecord[]> => findPostsBySlug(client, { postType, slugs: numberedMarkerSlugs(marker) })

/** Drafts that are looked through for several titles: those who ask have made theirs a moment ago. */
const MAX_RECENT_DRAFTS = 100
const MAX_SIMILAR_DRAFTS = 20

/** Of more words WordPress searches for the title as a whole, as it is stored (`parse_search`). */
const MAX_SEARCHED_WORDS = 9

/** Words alone: WordPress stores `&` as `&amp;`, and takes `-20` for what is not to be found. */
const searchOf = (title: string): string | undefined =>
  wordsIn(title).slice(0, MAX_SEARCHED_WORDS).join(' ') || undefined

/** The newest drafts that may have this title, for sites where slugs do not last; the caller proves whose they are. */
export const findDraftsByTitle = (
  client: WordPressClient,
  { postType, title }: PostRoute & { title: string },
) =>
  client.traffic.gather(`drafts of the type ${postType} by title`, title, async (titles) => {
    const [only = ''] = titles
    const drafts = await newestDrafts(client, postType, titles.length === 1 ? searchOf(only) : undefined)
    return titles.map(() => drafts)
  })

const newestDrafts = (client: WordPressClient, postType: string, search: string | undefined) =>
  queryAllStatuses(client, { postType }, async (all) => {
    const statuses = unfinishedStatuses(all)
    if (statuses.length === 0) return []
    const { value } = await requestParsed(client, boundedArray(titledSchema), {
      path: postRoute({ postType }),
      query: {
        context: 'edit',
        _fields: 'id,title.raw',
        search,
        status: statuses.join(),
        orderby: 'id',
        order: 'desc',
        per_page: search === undefined ? MAX_RECENT_DRAFTS : MAX_SIMILAR_DRAFTS,
      },
      doing: 'looking for the post by its title',
      subject: 'post',
    })
    return value
  })

/** The posts that have one of these slugs, the oldest first, in every status. */
export async function findPostsBySlug(
  client: WordPressClient,
  { postType, slugs }: PostRoute & { slugs: readonly string[] },
): Promise<PostRecord[]> {
  const posts = await queryAllStatuses(client, { postType }, async (statuses) => {
    const { value } = await requestParsed(client, boundedArray(postSchema), {
      path: postRoute({ postType }),
      query: {
        ...POST_QUERY,
        slug: slugs.join(),
        status: [...statuses, 'trash'].join(),
        orderby: 'id',
        order: 'asc',
        per_page: SLUGS_PER_PAGE,
      },
      doing: 'looking for the post',
      subject: 'post',
    })
    return value
  })
  // Some plugins ignore parameters they do not know, and then answer other posts.
  return posts.filter((post) => slugs.includes(post.slug))
}

/** A post as it stands now, and what time it is on the server that says so. */
export interface TimedPost {
  post: PostRecord
  /** Milliseconds since 1970; null where the answer has no `Date`. */
  serverTime: number | null
}

/** The post, also when trashed; null where WordPress (`rest_post_invalid_id`) or the list lacks it. */
export async function fetchTimedPost(
  client: WordPressClient,
  { postType, id, members = [] }: PostRoute & { id: number; members?: readonly string[] },
): Promise<TimedPost | null> {
  try {
    const { value, answer } = await requestPost(client, {
      postType,
      id,
      query: withMembers(POST_QUERY, members),
      doing: 'reading the post',
    })
    const serverTime = Date.parse(answer.headers.date ?? '')
    return { post: value, serverTime: Number.isNaN(serverTime) ? null : serverTime }
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    const isGone =
      error.code === 'post_gone' ||
      (error.code === 'not_found' && !(await isInPostList(client, { postType, id })))
    if (isGone) return null
    throw error
  }
}

/** As {@link fetchTimedPost}, for whoever wants nothing but the post. */
export const getPost = async (
  client: WordPressClient,
  post: Parameters<typeof fetchTimedPost>[1],
): Promise<PostRecord | null> => (await fetchTimedPost(client, post))?.post ?? null

/** Whether the list of posts has it. Servers that show their own page for HTTP 404 leave nothing of WordPress's answer. */
const isInPostList = (client: WordPressClient, { postType, id }: PostRoute & { id: number }) =>
  queryAllStatuses(client, { postType }, async (statuses) => {
    const { value } = await requestParsed(client, boundedArray(z.object({ id: idSchema })), {
      path: postRoute({ postType }),
      query: { context: 'edit', _fields: 'id', include: id, status: [...statuses, 'trash'].join() },
      doing: 'checking whether the post is there',
      subject: 'post',
    })
    return value.some((post) => post.id === id)
  })

/** In lower case: plugins write titles in capitals. */
const wordsOf = (title: string): string => wordsIn(title).join(' ').toLowerCase()

/** Whether two titles say the same, however they are written. */
export const isSameTitle = (stored: string, given: string): boolean =>
  stored.trim() === given.trim() || (wordsOf(given) !== '' && wordsOf(stored) === wordsOf(given))

/** Whether a site may have made this title of that: a plugin puts words before or behind it. */
export const isDerivedTitle = (stored: string, given: string): boolean =>
  isSameTitle(stored, given) ||
  (wordsOf(given).length >= MIN_MATCH_LENGTH && isWithin(wordsOf(stored), wordsOf(given)))

const isWithin = (longer: string, shorter: string): boolean =>
  longer.length <= shorter.length + MAX_ADDED_LENGTH && ` ${longer} `.includes(` ${shorter} `)

/** Shorter ones stand in many others. */
const MIN_MATCH_LENGTH = 8

/** Characters that a plugin may add. A site may answer a title of megabytes, and a search in it takes as often the other's length. */
const MAX_ADDED_LENGTH = 1_000
