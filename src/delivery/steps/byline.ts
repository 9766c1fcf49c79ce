import { GalleyError, type Warning } from '../../errors.ts'
import { bylinePlugins, findByline } from '../../wordpress/bylines/index.ts'
import { fillPost } from '../../wordpress/posts/index.ts'
import type { Byline, BylineField, PostRecord } from '../../wordpress/types.ts'
import type { Delivering } from './context.ts'

/**
 * Has readers see the author whom the site's settings name, where a plugin and not the post's author decides what they
 * see. In a request of its own, before anything is published, so that a refusal costs the byline and nothing else. Once:
 * what a later version finds, a person may have set.
 *
 * @returns what was asked for, to be compared with what stands in the end; null where nothing was
 */
export async function setByline(delivering: Delivering, before: PostRecord): Promise<Byline | null> {
  const { row, site, writer, postType, warnings, ledger } = delivering
  if (site.authorId === null || before.byline === null || row.delivered_event_id !== null) return null
  const { field } = before.byline
  try {
    const byline = await findByline(site.client, { field, userId: site.authorId })
    if (byline === null) {
      warnings.push(unknownAuthor(delivering, field))
      return null
    }
    if (before.byline.ids.join() !== byline.ids.join()) {
      await fillPost(writer, { postType, id: before.id, fields: { byline } })
      ledger.defer('fill', 'signed', `${bylinePlugins[field].name} names the author`, {})
    }
    return byline
  } catch (error) {
    if (!(error instanceof GalleyError && REFUSED_FOR_ITSELF.has(error.fault))) throw error
    warnings.push(refused(delivering, field, error))
    return null
  }
}

/** Whose failures leave the rest of the post possible. */
const REFUSED_FOR_ITSELF: ReadonlySet<string> = new Set<GalleyError['fault']>(['owner', 'delivery'])

const unknownAuthor = ({ site }: Delivering, field: BylineField): Warning => ({
  code: 'byline_unset',
  message: `Readers on ${site.name} do not see “${site.settings.author}” as the author: ${bylinePlugins[field].name} keeps the byline there, and has no author for that user. Create one there for the user, and set the byline of this post in WordPress.`,
})

const refused = ({ site }: Delivering, field: BylineField, { message }: GalleyError): Warning => ({
  code: 'byline_unset',
  message: `Readers on ${site.name} may not see “${site.settings.author}” as the author: ${bylinePlugins[field].name} keeps the byline there, and it could not be set. ${message}`,
})
