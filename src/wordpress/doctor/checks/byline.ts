import { GalleyError } from '../../../errors.ts'
import { BYLINE_FIELDS, type BylinePlugin, bylinePlugins, findByline } from '../../bylines/index.ts'
import type { WordPressClient } from '../../client/index.ts'
import { failureTextOf } from '../../failures/index.ts'
import type { PostSchema } from '../../schema/index.ts'
import type { Byline, PostRecord } from '../../types.ts'
import { fromFailure, ok, warning } from '../finding.ts'
import { tryAuthor } from '../probes/author.ts'
import type { Finding } from '../types.ts'

interface Site {
  postType: string
  schema: PostSchema
  namespaces: readonly string[]
  /** The user whom the site's settings name as the author; null where they name none. */
  authorId: number | null
  /** The examination's own, which is given that author; null where none stands. */
  draft: PostRecord | null
}

/** Whether readers will see the author whom the settings name; no line where they name none and no plugin keeps bylines. */
export async function checkByline(client: WordPressClient, site: Site): Promise<Finding[]> {
  const { schema, namespaces, authorId } = site
  const field = BYLINE_FIELDS.find((each) => schema.fields.includes(each))
  const plugin = field === undefined ? null : bylinePlugins[field]
  const silent = plugins.find(({ namespace }) => namespaces.includes(namespace))
  const unseen = plugin === null && silent !== undefined ? [closed(silent)] : []
  if (authorId === null) return plugin === null ? unseen : [unnamed(plugin)]
  try {
    const byline = field === undefined ? null : await findByline(client, { field, userId: authorId })
    const tried = await checkAuthor(client, { ...site, author: authorId, plugin, byline })
    const unknown = plugin !== null && byline === null ? [unknownAuthor(plugin)] : []
    const all = [...tried, ...unknown, ...unseen]
    const wrong = all.filter(({ level }) => level !== 'ok')
    return wrong.length > 0 ? wrong : all
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    return [
      fromFailure(
        'byline',
        error,
        'Readers may see a different author from the one in the settings.',
        'warning',
      ),
      ...unseen,
    ]
  }
}

interface Wanted {
  author: number
  plugin: BylinePlugin | null
  byline: Byline | null
}

/** What becomes of the author on the examination's own draft. */
async function checkAuthor(
  client: WordPressClient,
  { postType, draft, author, plugin, byline }: Site & Wanted,
): Promise<Finding[]> {
  if (draft === null) return plugin === null || byline === null ? [] : [untried(plugin)]
  const { authorRefused, bylineRefused, stands } = await tryAuthor(client, {
    postType,
    draft,
    author,
    byline,
  })
  if (authorRefused !== null)
    return [
      fromFailure(
        'byline',
        authorRefused,
        'Deliveries ask for that author too, and will be refused in the same way.',
      ),
    ]
  if (plugin !== null && bylineRefused !== null) return [refused(plugin, bylineRefused)]
  if (stands === null) return []
  if (stands.author !== author) return [kept(stands.author)]
  if (plugin === null || byline === null)
    return [
      ok('byline', 'A draft was given the author whom the settings name, and has kept it.', 'So do posts.'),
    ]
  if (stands.byline?.ids.join() !== byline.ids.join()) return [keptByline(plugin)]
  return [
    ok(
      'byline',
      `${plugin.name} keeps the bylines that readers see, and took the author whom the settings name for a draft.`,
      'Readers see that author.',
    ),
  ]
}

const plugins: readonly BylinePlugin[] = Object.values(bylinePlugins)

const unnamed = ({ name }: BylinePlugin): Finding =>
  ok(
    'byline',
    `${name} keeps the bylines that readers see.`,
    'They name the user that Galley writes as; the setting “author” names another.',
  )

const untried = ({ name }: BylinePlugin): Finding =>
  ok(
    'byline',
    `${name} keeps the bylines that readers see.`,
    'It knows the author whom the settings name. Each delivery sets the byline, and says so where it may not.',
  )

const unknownAuthor = ({ name }: BylinePlugin): Finding =>
  warning(
    'byline',
    `${name} keeps the bylines that readers see, and has no author for the user whom the settings name.`,
    'Readers see a different author, and each delivery says so.',
    `Create an author for that user in ${name}.`,
  )

const closed = ({ name }: BylinePlugin): Finding =>
  warning(
    'byline',
    `${name} is there, but shows no byline of this type of post over the REST API.`,
    'If it keeps bylines for this type, readers see whoever it considers the author, whatever the settings say.',
    `Switch ${name} on for this type, or set the byline of each post in WordPress.`,
  )

const refused = ({ name }: BylinePlugin, refusal: GalleyError): Finding =>
  warning(
    'byline',
    `${name} keeps the bylines that readers see, and that of a draft could not be set: ${failureTextOf(refusal).happened}`,
    'Readers may see a different author from the one in the settings, and each delivery says so.',
    `Let Galley’s user set bylines in ${name}, or set the byline of each post in WordPress.`,
  )

const keptByline = ({ name }: BylinePlugin): Finding =>
  warning(
    'byline',
    `${name} keeps the bylines that readers see, and left the one of a draft as it was.`,
    'Readers see a different author from the one in the settings, and each delivery says so.',
    `Let Galley’s user set bylines in ${name}, or set the byline of each post in WordPress.`,
  )

const kept = (author: number): Finding =>
  author === 0
    ? withoutAuthors
    : warning(
        'byline',
        `A draft was given the author whom the settings name, and a plugin made it user ${author}.`,
        'Posts have that author, and each delivery says so.',
        'Exclude Galley’s user from the plugin that sets authors, or set “author” in the site’s settings to null.',
      )

const withoutAuthors = warning(
  'byline',
  'This type of post has no authors, and the settings name one.',
  'Posts arrive without an author, and each delivery says so.',
  'Set “author” in the site’s settings to null.',
)
