import { GalleyError } from '../../errors.ts'
import { assertAnswerMatchesRequest } from '../answer-match.ts'
import { requestParsed, type WordPressClient } from '../client/index.ts'
import type { FailureCode } from '../failures/index.ts'
import { postSchema } from '../records.ts'
import type { PostFields, PostRecord } from '../types.ts'
import {
  POST_QUERY,
  POST_QUERY_WITH_ACTIONS,
  type PostRoute,
  postRoute,
  refusesStatus,
  WRITTEN_POST_QUERY,
} from './requests.ts'

interface Reservation extends PostRoute {
  title: string
  /** Becomes the slug: `galley-<document id>`. Null leaves the slug to WordPress. */
  marker: string | null
  /** WordPress user; plugins that show bylines of their own take them from whoever creates a post. */
  author?: number
  /** Code of the post's language, on a site with several: it is given when a post is made, and then stays. */
  language?: string | undefined
  /** Whether it is asked too what the user may do with the post. */
  withActions?: boolean
}

const PLACEHOLDER_PARAGRAPH = '<p>This post is being written.</p>'

/** What stands in a new draft where a plugin takes none without a text; the fill puts the document's in its place. */
const PLACEHOLDER_BLOCK = `<!-- wp:paragraph -->\n${PLACEHOLDER_PARAGRAPH}\n<!-- /wp:paragraph -->`

/** Whether a draft has no text but what Galley made it with; a plugin may have taken the comments out of that. */
export const isPlaceholderContent = (content: string): boolean =>
  ['', PLACEHOLDER_BLOCK, PLACEHOLDER_PARAGRAPH].includes(content.trim())

/**
 * Creates a draft that holds a title and the marker as its slug, and nothing else. WordPress makes slugs
 * unique: an answer with another slug than the marker means that a post with this marker was there first.
 * A site without drafts, as editorial plugins make it, is left to choose where its posts begin; one that takes
 * no draft without a text gets a sentence.
 */
export async function reservePost(client: WordPressClient, reservation: Reservation): Promise<PostRecord> {
  try {
    return await createDraft(client, reservation, { status: 'draft' })
  } catch (error) {
    if (refusesStatus(error)) return createDraft(client, reservation, {})
    if (!(error instanceof GalleyError && PLUGIN_REFUSALS.has(error.code))) throw error
    try {
      return await createDraft(client, reservation, { status: 'draft', content: PLACEHOLDER_BLOCK })
    } catch (again) {
      throw again instanceof GalleyError && again.code === error.code ? error : again
    }
  }
}

/** As what a plugin's own refusal of a post counts. */
const PLUGIN_REFUSALS: ReadonlySet<string> = new Set<FailureCode>(['request_refused', 'field_refused'])

async function createDraft(
  client: WordPressClient,
  { title, marker, author, language, withActions = false, ...where }: Reservation,
  more: { status?: 'draft'; content?: string },
): Promise<PostRecord> {
  const { value } = await requestParsed(client, postSchema, {
    method: 'POST',
    path: postRoute(where),
    query: { ...(withActions ? POST_QUERY_WITH_ACTIONS : POST_QUERY), lang: language },
    data: {
      title,
      ...(marker !== null && { slug: marker }),
      ...more,
      ...(author !== undefined && { author }),
    },
    doing: 'reserving the post',
    subject: 'post',
  })
  return value
}

/**
 * Sets fields of a post in one call; repeating it changes nothing. It succeeds on a trashed post too, and a
 * status other than `trash` brings that post back: look at the status before filling one that has lain.
 *
 * @throws GalleyError `answer_of_another` where the site answers about another post
 */
export async function fillPost(
  client: WordPressClient,
  { postType, id, fields }: PostRoute & { id: number; fields: PostFields },
): Promise<PostRecord> {
  const request = {
    method: 'POST',
    path: postRoute({ postType }, id),
    query: WRITTEN_POST_QUERY,
    data: bodyOf(fields),
    doing: 'filling the post',
    subject: 'post',
    repeatable: true,
  } as const
  const { value } = await requestParsed(client, postSchema, request)
  assertAnswerMatchesRequest(client, request, value.id === id, `post ${value.id} instead of ${id}`)
  return value
}

function bodyOf({ featuredMedia, byline, ...fields }: PostFields): Record<string, unknown> {
  return {
    ...fields,
    ...(featuredMedia === undefined ? {} : { featured_media: featuredMedia }),
    ...(byline === undefined ? {} : { [byline.field]: byline.ids }),
  }
}
