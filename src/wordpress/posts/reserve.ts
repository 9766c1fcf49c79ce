import { GalleyError } from '../../errors.ts'
import { read, type WordPressClient } from '../client/index.ts'
import type { FailureCode } from '../failures/index.ts'
import { postSchema } from '../records.ts'
import type { PostRecord } from '../types.ts'
import { POST_QUERY, POST_QUERY_WITH_ACTIONS } from './query.ts'
import { type PostRoute, route } from './requests.ts'
import { refusesStatus } from './statuses.ts'

export interface Reservation extends PostRoute {
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

const FIRST_PARAGRAPH = '<p>This post is being written.</p>'

/** What stands in a new draft where a plugin takes none without a text; the fill puts the document's in its place. */
const FIRST_TEXT = `<!-- wp:paragraph -->\n${FIRST_PARAGRAPH}\n<!-- /wp:paragraph -->`

/** Whether a draft has no text but what Galley made it with; a plugin may have taken the comments out of that. */
export const hasNoText = (content: string): boolean =>
  ['', FIRST_TEXT, FIRST_PARAGRAPH].includes(content.trim())

/**
 * Creates a draft that holds a title and the marker as its slug, and nothing else. WordPress makes slugs
 * unique: an answer with another slug than the marker means that a post with this marker was there first.
 * A site without drafts, as editorial plugins make it, is left to choose where its posts begin; one that takes
 * no draft without a text gets a sentence.
 */
export async function reservePost(client: WordPressClient, reservation: Reservation): Promise<PostRecord> {
  try {
    return await create(client, reservation, { status: 'draft' })
  } catch (error) {
    if (refusesStatus(error)) return create(client, reservation, {})
    if (!(error instanceof GalleyError && OF_PLUGINS.has(error.code))) throw error
    try {
      return await create(client, reservation, { status: 'draft', content: FIRST_TEXT })
    } catch (again) {
      throw again instanceof GalleyError && again.code === error.code ? error : again
    }
  }
}

/** As what a plugin's own refusal of a post counts. */
const OF_PLUGINS: ReadonlySet<string> = new Set<FailureCode>(['request_refused', 'field_refused'])

async function create(
  client: WordPressClient,
  { title, marker, author, language, withActions = false, ...where }: Reservation,
  more: { status?: 'draft'; content?: string },
): Promise<PostRecord> {
  const { value } = await read(client, postSchema, {
    method: 'POST',
    path: route(where),
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
