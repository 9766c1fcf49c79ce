import { GalleyError } from '../../../errors.ts'
import { BYLINE_FIELDS, type BylinePlugin, bylinePlugins, findByline } from '../../authors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { failureTextOf } from '../../failures/index.ts'
import { fillPost, getPost } from '../../posts/index.ts'
import type { PostSchema } from '../../schema.ts'
import type { Byline, PostRecord } from '../../types.ts'
import { type Finding, findingFromFailure, ok, warning } from '../report.ts'

interface BylineCheckInput {
  postType: string
  schema: PostSchema
  namespaces: readonly string[]
  /** The user whom the site's settings name as the author; null where they name none. */
  authorId: number | null
  /** The examination's own, which is given that author; null where none stands. */
  draft: PostRecord | null
}

/** Whether readers will see the author whom the settings name; no line where they name none and no plugin keeps bylines. */
export async function checkByline(client: WordPressClient, site: BylineCheckInput): Promise<Finding[]> {
  const { schema, namespaces, authorId } = site
  const field = BYLINE_FIELDS.find((each) => schema.fields.includes(each))
  const plugin = field === undefined ? null : bylinePlugins[field]
  const silent = plugins.find(({ namespace }) => namespaces.includes(namespace))
  const unseen = plugin === null && silent !== undefined ? [closedBylineFinding(silent)] : []
  if (authorId === null) return plugin === null ? unseen : [unnamedAuthorFinding(plugin)]
  try {
    const byline = field === undefined ? null : await findByline(client, { field, userId: authorId })
    const tried = await checkAuthor(client, { ...site, author: authorId, plugin, byline })
    const unknown = plugin !== null && byline === null ? [unknownAuthorFinding(plugin)] : []
    const all = [...tried, ...unknown, ...unseen]
    const wrong = all.filter(({ level }) => level !== 'ok')
    return wrong.length > 0 ? wrong : all
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    return [
      findingFromFailure(
        'byline',
        error,
        'Readers may see a different author from the one in the settings.',
        'warning',
      ),
      ...unseen,
    ]
  }
}

interface WantedByline {
  author: number
  plugin: BylinePlugin | null
  byline: Byline | null
}

/** What becomes of the author on the examination's own draft. */
async function checkAuthor(
  client: WordPressClient,
  { postType, draft, author, plugin, byline }: BylineCheckInput & WantedByline,
): Promise<Finding[]> {
  if (draft === null) return plugin === null || byline === null ? [] : [untriedAuthorFinding(plugin)]
  const { authorRefused, bylineRefused, stands } = await probeAuthor(client, {
    postType,
    draft,
    author,
    byline,
  })
  if (authorRefused !== null)
    return [
      findingFromFailure(
        'byline',
        authorRefused,
        'Deliveries ask for that author too, and will be refused in the same way.',
      ),
    ]
  if (plugin !== null && bylineRefused !== null) return [refusedBylineFinding(plugin, bylineRefused)]
  if (stands === null) return []
  if (stands.author !== author) return [keptAuthorFinding(stands.author)]
  if (plugin === null || byline === null)
    return [
      ok('byline', 'A draft was given the author whom the settings name, and has kept it.', 'So do posts.'),
    ]
  if (stands.byline?.ids.join() !== byline.ids.join()) return [keptBylineFinding(plugin)]
  return [
    ok(
      'byline',
      `${plugin.name} keeps the bylines that readers see, and took the author whom the settings name for a draft.`,
      'Readers see that author.',
    ),
  ]
}

const plugins: readonly BylinePlugin[] = Object.values(bylinePlugins)

const unnamedAuthorFinding = ({ name }: BylinePlugin): Finding =>
  ok(
    'byline',
    `${name} keeps the bylines that readers see.`,
    'They name the user that Galley writes as; the setting “author” names another.',
  )

const untriedAuthorFinding = ({ name }: BylinePlugin): Finding =>
  ok(
    'byline',
    `${name} keeps the bylines that readers see.`,
    'It knows the author whom the settings name. Each delivery sets the byline, and says so where it may not.',
  )

const unknownAuthorFinding = ({ name }: BylinePlugin): Finding =>
  warning(
    'byline',
    `${name} keeps the bylines that readers see, and has no author for the user whom the settings name.`,
    'Readers see a different author, and each delivery says so.',
    `Create an author for that user in ${name}.`,
  )

const closedBylineFinding = ({ name }: BylinePlugin): Finding =>
  warning(
    'byline',
    `${name} is there, but shows no byline of this type of post over the REST API.`,
    'If it keeps bylines for this type, readers see whoever it considers the author, whatever the settings say.',
    `Switch ${name} on for this type, or set the byline of each post in WordPress.`,
  )

const refusedBylineFinding = ({ name }: BylinePlugin, refusal: GalleyError): Finding =>
  warning(
    'byline',
    `${name} keeps the bylines that readers see, and that of a draft could not be set: ${failureTextOf(refusal).happened}`,
    'Readers may see a different author from the one in the settings, and each delivery says so.',
    `Let Galley’s user set bylines in ${name}, or set the byline of each post in WordPress.`,
  )

const keptBylineFinding = ({ name }: BylinePlugin): Finding =>
  warning(
    'byline',
    `${name} keeps the bylines that readers see, and left the one of a draft as it was.`,
    'Readers see a different author from the one in the settings, and each delivery says so.',
    `Let Galley’s user set bylines in ${name}, or set the byline of each post in WordPress.`,
  )

const keptAuthorFinding = (author: number): Finding =>
  author === 0
    ? noAuthorsFinding
    : warning(
        'byline',
        `A draft was given the author whom the settings name, and a plugin made it user ${author}.`,
        'Posts have that author, and each delivery says so.',
        'Exclude Galley’s user from the plugin that sets authors, or set “author” in the site’s settings to null.',
      )

const noAuthorsFinding = warning(
  'byline',
  'This type of post has no authors, and the settings name one.',
  'Posts arrive without an author, and each delivery says so.',
  'Set “author” in the site’s settings to null.',
)

interface AuthorProbeInput {
  postType: string
  /** The probe's own draft. */
  draft: PostRecord
  author: number
  /** Null where no plugin keeps one, or where it knows no author for the user. */
  byline: Byline | null
}

interface AuthorProbeResult {
  /** Of the author; nothing else was tried then. */
  authorRefused: GalleyError | null
  /** Of the byline alone. */
  bylineRefused: GalleyError | null
  /** What stands in the end; null where it was refused, or nobody can tell. */
  stands: PostRecord | null
}

/**
 * Gives the probe's own draft the author and the byline of the settings, as a delivery does, and looks what stands. The
 * draft gets its author back: not everybody may delete what is another's.
 */
async function probeAuthor(
  client: WordPressClient,
  { postType, draft, author, byline }: AuthorProbeInput,
): Promise<AuthorProbeResult> {
  const { id } = draft
  const write = (fields: { author?: number; byline?: Byline }) =>
    catchRefusal(() => fillPost(client, { postType, id, fields }))
  const both = await write({ author, ...(byline && { byline }) })
  const authorRefused = both !== null && byline !== null ? await write({ author }) : both
  const stands = authorRefused === null ? await getPost(client, { postType, id }) : null
  if (stands !== null && stands.author !== draft.author && draft.author > 0)
    await write({ author: draft.author })
  return { authorRefused, bylineRefused: authorRefused === null ? both : null, stands }
}

async function catchRefusal(act: () => Promise<unknown>): Promise<GalleyError | null> {
  try {
    await act()
    return null
  } catch (error) {
    if (error instanceof GalleyError) return error
    throw error
  }
}
