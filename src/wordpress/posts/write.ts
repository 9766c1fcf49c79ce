import { GalleyError } from '../../errors.ts'
import { requestParsed, type WordPressClient } from '../client/client.ts'
import type { FailureCode } from '../failures/catalogue.ts'
import { FOOTNOTES } from '../footnotes.ts'
import { postSchema } from '../records.ts'
import type { PostFields, PostRecord } from '../types.ts'
import {
  POST_QUERY,
  POST_QUERY_WITH_ACTIONS,
  type PostRoute,
  postRoute,
  refusesStatus,
  requestPost,
  WRITTEN_POST_QUERY,
  withMembers,
} from './find.ts'

interface Reservation extends PostRoute {
  title: string
  /** Becomes the slug: the marker of a delivery, or of a check. Null leaves the slug to WordPress. */
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

/** Whether nobody has put anything into a post since Galley reserved it. */
export const isEmptyPost = ({ content, excerpt, tags, featuredMedia }: PostRecord): boolean =>
  isPlaceholderContent(content) && excerpt.trim() === '' && tags.length === 0 && featuredMedia === 0

/**
 * Creates a draft with a title and the marker as its slug; another slug in the answer means that a post with this marker was there first.
 * A site without drafts chooses where its posts begin; one that takes none without a text gets a sentence.
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

/** Sets fields of a post, repeatably; a status other than `trash` brings a trashed one back. @throws `answer_of_another` */
export async function fillPost(
  client: WordPressClient,
  { postType, id, fields }: PostRoute & { id: number; fields: PostFields },
): Promise<PostRecord> {
  const { value } = await requestPost(client, {
    postType,
    id,
    method: 'POST',
    query: withMembers(WRITTEN_POST_QUERY, Object.keys(fields.members ?? {})),
    data: bodyOf(fields),
    doing: 'filling the post',
    repeatable: true,
  })
  return value
}

/** @throws GalleyError `post_gone` where it is in the trash already, or gone; `trash_off` where the site would delete it */
export async function trashPost(
  client: WordPressClient,
  { postType, id }: PostRoute & { id: number },
): Promise<PostRecord> {
  const { value } = await requestPost(client, {
    postType,
    id,
    method: 'DELETE',
    query: POST_QUERY,
    doing: 'moving the post to the trash',
    repeatable: true,
  })
  return value
}

function bodyOf({ featuredMedia, byline, footnotes, members = {}, meta, ...fields }: PostFields) {
  const body: Record<string, unknown> = {
    ...fields,
    ...(featuredMedia !== undefined && { featured_media: featuredMedia }),
    ...(byline !== undefined && { [byline.field]: byline.ids }),
    ...((meta !== undefined || footnotes !== undefined) && {
      meta: { ...meta, ...(footnotes !== undefined && { [FOOTNOTES]: footnotes }) },
    }),
  }
  for (const [path, value] of Object.entries(members)) {
    const [name = path, ...inner] = path.split('.')
    body[name] = inner.length === 0 ? value : { ...(body[name] as object), [inner.join('.')]: value }
  }
  return body
}
