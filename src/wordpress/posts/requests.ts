import { GalleyError, recoverWith } from '../../errors.ts'
import {
  assertAnswerMatchesRequest,
  requestParsed,
  type WordPressClient,
  type WordPressRequest,
} from '../client/client.ts'
import { CORE_STATUSES } from '../markers.ts'
import { postSchema } from '../records.ts'
import { tryReadPostSchema } from '../schema.ts'

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
