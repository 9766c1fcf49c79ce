import { asFailure } from '../../../errors.ts'
import { BYLINE_FIELDS, type BylinePlugin, bylinePlugins, findByline } from '../../authors.ts'
import type { WordPressClient } from '../../client/client.ts'
import { failureTextOf } from '../../failures/classify.ts'
import { getPost } from '../../posts/find.ts'
import { fillPost } from '../../posts/write.ts'
import type { PostSchema, PostType } from '../../schema.ts'
import type { Byline, CurrentUser, PostFields, PostRecord } from '../../types.ts'
import { type CheckName, type Finding, line } from '../report.ts'

export function checkPostType(postTypes: PostType[], restBase: string): Finding {
  const type = postTypes.find((candidate) => candidate.restBase === restBase)
  if (!type) {
    return line.post_type.problem(
      `There is no post type “${restBase}” that this user may edit; there is ${list(postTypes.map((t) => t.restBase))}.`,
      'Nothing can be delivered to this post type.',
      'Choose one of these in the site’s settings, or let the type be shown in the REST API (show_in_rest).',
    )
  }
  if (!type.hasContent) {
    return line.post_type.problem(
      `Posts of the type ${type.label} have no content in WordPress.`,
      'The text of a document would be dropped.',
      'Choose another post type in the site’s settings.',
    )
  }
  return line.post_type.ok(`Documents become ${type.label}.`, 'Posts of this type have a text.')
}

export function checkTerms({ fields }: PostSchema): Finding {
  const missing = ['categories', 'tags'].filter((taxonomy) => !fields.includes(taxonomy))
  if (missing.length === 0)
    return line.terms.ok('Posts of this type take categories and tags.', 'Both are set.')
  return line.terms.warning(
    `Posts of this type have no ${missing.join(' and no ')}.`,
    `A document’s ${missing.join(' and ')} are left out, with a warning on the delivery.`,
    'Choose another post type, or register the taxonomy for it in WordPress.',
  )
}

/** Whether the user may read the terms that documents name: plugins close them to who may not edit any. */
export async function checkReadableTerms(client: WordPressClient, schema: PostSchema): Promise<Finding> {
  const { fields } = schema
  for (const path of ['categories', 'tags'].filter((taxonomy) => fields.includes(taxonomy))) {
    const request = {
      path: `/wp/v2/${path}`,
      query: { per_page: 1, _fields: 'id' },
      doing: `reading the ${path}`,
      subject: 'term',
    } as const
    const refusal = await client.request(request).then(() => null, asFailure)
    if (refusal === null) continue
    return line.terms.refused(
      refusal,
      'Categories and tags of documents are left out, with a warning on each delivery.',
      'Let Galley’s user read categories and tags over the REST API: find the plugin whose words these are (Solid Security: “Restricted Access” to the REST API), or make the user an editor.',
    )
  }
  return checkTerms(schema)
}

const list = (names: string[]): string => (names.length > 0 ? names.join(', ') : 'none')

/** Advanced Custom Fields adds it to what a post holds wherever it is, also where it shows no group of fields there. */
const ACF_FIELD = 'acf'

const UNKNOWN_REQUIRED_FIELDS =
  'Of field groups whose setting “Show in REST API” is off, this check cannot tell: nothing shows them to Galley.'

/** What editors must fill in and a document does not bring; null where Advanced Custom Fields is not there. */
export function checkRequiredFields({
  fields,
  requiredFields,
}: Pick<PostSchema, 'fields' | 'requiredFields'>): Finding | null {
  if (requiredFields.length > 0)
    return line.required_fields.warning(
      `Advanced Custom Fields requires editors to fill in ${requiredFields.join(', ')}. ${UNKNOWN_REQUIRED_FIELDS}`,
      'It does not ask that of posts written over the REST API: they arrive without, and each delivery says so.',
      'Give those fields a default value, or fill them in in WordPress before the post is published.',
    )
  if (!fields.includes(ACF_FIELD)) return null
  return line.required_fields.ok(
    `Advanced Custom Fields is there, and no field that it shows over the REST API has to be filled in. ${UNKNOWN_REQUIRED_FIELDS}`,
    'Posts arrive with such fields empty, and no delivery says so. Where editors have to fill some in, switch “Show in REST API” on in the settings of their field group (ACF → Field Groups → the group → Group Settings): then this check and each delivery name them.',
  )
}

interface Right {
  check: CheckName
  /** Among the links of a post that the user may edit. */
  action: string
  /** Stands for it where no post could be made to ask. */
  capability: string
  may: string
  /** What follows where the user may; nothing is lost unless said. */
  granted?: string
  means: string
  todo: string
}

const rights: readonly Right[] = [
  {
    check: 'right_to_publish',
    action: 'publish',
    capability: 'publish_posts',
    may: 'publish',
    // Whatever acts on publishing cannot be found without (docs/compatibility.md).
    granted:
      'Posts can be published. This check publishes none: if a plugin asks for more at that moment, such as a featured image, or changes or schedules the post, the delivery says so.',
    means: 'Posts that are to be published arrive as pending, or are held, as the site’s settings say.',
    todo: 'Make the user an author or editor, if posts are to be published.',
  },
  {
    check: 'right_to_create_categories',
    action: 'create-categories',
    capability: 'manage_categories',
    may: 'create categories',
    means: 'A category that is not there is left out; the site’s fallback category takes its place.',
    todo: 'Make the user an editor, or create the categories in WordPress.',
  },
  {
    check: 'right_to_create_tags',
    action: 'create-tags',
    capability: 'edit_posts',
    may: 'create tags',
    means: 'A tag that is not there is left out.',
    todo: 'Make the user an author or editor, or create the tags in WordPress.',
  },
]

/** The links of a draft have every plugin's say; the profile has what the role was given. */
export function checkRights(
  { name, capabilities, isHidden }: CurrentUser,
  { fields }: PostSchema,
  draft: { actions: string[]; status: string } | null,
): Finding[] {
  const holds = ({ capability }: Right): boolean => !isHidden && (capabilities[capability] ?? false)
  const has = (right: Right): boolean => (draft ? draft.actions.includes(right.action) : holds(right))
  return rights
    .filter(({ action }) => !action.startsWith('create-') || fields.includes(action.slice('create-'.length)))
    .map((right) =>
      has(right)
        ? line[right.check].ok(`${name} may ${right.may}.`, right.granted ?? 'Nothing is lost.')
        : draft && right.action === 'publish' && holds(right)
          ? statusTakesRightFinding(name, draft.status)
          : line[right.check].warning(`${name} may not ${right.may}.`, right.means, right.todo),
    )
}

const statusTakesRightFinding = (name: string, status: string): Finding =>
  line.right_to_publish.warning(
    `${name} has the right to publish, but not a post in the status “${status}”, in which drafts begin here: a plugin takes it away.`,
    'Galley cannot know beforehand whether posts can be published. It tries; where WordPress refuses, they arrive as pending, or are held, as the site’s settings say.',
    'If posts are to be published at once, exempt Galley’s user in that plugin, or switch its guard off (VIP Workflow: Publish Guard).',
  )

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
  const plugin: BylinePlugin | null = field === undefined ? null : bylinePlugins[field]
  const silent = Object.values(bylinePlugins).find(({ namespace }) => namespaces.includes(namespace))
  const unseen = plugin === null && silent !== undefined ? [closedBylineFinding(silent)] : []
  if (authorId === null) {
    const means = 'They name the user that Galley writes as; the setting “author” names another.'
    return plugin === null ? unseen : [line.byline.ok(keepsBylines(plugin), means)]
  }
  try {
    const byline = field === undefined ? null : await findByline(client, { field, userId: authorId })
    const tried = await tryAuthor(client, { ...site, author: authorId, plugin, byline })
    const unknown = plugin !== null && byline === null ? [unknownAuthorFinding(plugin)] : []
    const all = [...tried, ...unknown, ...unseen]
    const wrong = all.filter(({ level }) => level !== 'ok')
    return wrong.length > 0 ? wrong : all
  } catch (error) {
    const means = 'Readers may see a different author from the one in the settings.'
    return [line.byline.failed(asFailure(error), means, 'warning'), ...unseen]
  }
}

interface WantedByline {
  author: number
  plugin: BylinePlugin | null
  /** Null where no plugin keeps one, or where it knows no author for the user. */
  byline: Byline | null
}

/** Gives the examination's own draft the author and the byline of the settings, as a delivery does, and looks what stands. */
async function tryAuthor(
  client: WordPressClient,
  { postType, draft, author, plugin, byline }: BylineCheckInput & WantedByline,
): Promise<Finding[]> {
  if (draft === null) {
    const means =
      'It knows the author whom the settings name. Each delivery sets the byline, and says so where it may not.'
    return plugin === null || byline === null ? [] : [line.byline.ok(keepsBylines(plugin), means)]
  }
  const { id } = draft
  const write = (fields: PostFields) => fillPost(client, { postType, id, fields }).then(() => null, asFailure)
  const refused = await write({ author, ...(byline && { byline }) })
  const authorRefused = refused !== null && byline !== null ? await write({ author }) : refused
  if (authorRefused !== null) {
    const means = 'Deliveries ask for that author too, and will be refused in the same way.'
    return [line.byline.failed(authorRefused, means)]
  }
  const stands = await getPost(client, { postType, id })
  // Not everybody may delete what is another's.
  if (stands !== null && stands.author !== draft.author && draft.author > 0)
    await write({ author: draft.author })
  if (plugin !== null && refused !== null)
    return [keptBylineFinding(plugin, `that of a draft could not be set: ${failureTextOf(refused).happened}`)]
  if (stands === null) return []
  if (stands.author !== author) return [keptAuthorFinding(stands.author)]
  if (plugin === null || byline === null) {
    const seen = 'A draft was given the author whom the settings name, and has kept it.'
    return [line.byline.ok(seen, 'So do posts.')]
  }
  if (stands.byline?.ids.join() !== byline.ids.join())
    return [keptBylineFinding(plugin, 'left the one of a draft as it was.')]
  const seen = `${plugin.name} keeps the bylines that readers see, and took the author whom the settings name for a draft.`
  return [line.byline.ok(seen, 'Readers see that author.')]
}

const keepsBylines = ({ name }: BylinePlugin): string => `${name} keeps the bylines that readers see.`

const unknownAuthorFinding = ({ name }: BylinePlugin): Finding =>
  line.byline.warning(
    `${name} keeps the bylines that readers see, and has no author for the user whom the settings name.`,
    'Readers see a different author, and each delivery says so.',
    `Create an author for that user in ${name}.`,
  )

const closedBylineFinding = ({ name }: BylinePlugin): Finding =>
  line.byline.warning(
    `${name} is there, but shows no byline of this type of post over the REST API.`,
    'If it keeps bylines for this type, readers see whoever it considers the author, whatever the settings say.',
    `Switch ${name} on for this type, or set the byline of each post in WordPress.`,
  )

const keptBylineFinding = ({ name }: BylinePlugin, seen: string): Finding =>
  line.byline.warning(
    `${name} keeps the bylines that readers see, and ${seen}`,
    'Readers see a different author from the one in the settings, and each delivery says so.',
    `Let Galley’s user set bylines in ${name}, or set the byline of each post in WordPress.`,
  )

const keptAuthorFinding = (author: number): Finding =>
  author === 0
    ? line.byline.warning(
        'This type of post has no authors, and the settings name one.',
        'Posts arrive without an author, and each delivery says so.',
        'Set “author” in the site’s settings to null.',
      )
    : line.byline.warning(
        `A draft was given the author whom the settings name, and a plugin made it user ${author}.`,
        'Posts have that author, and each delivery says so.',
        'Exclude Galley’s user from the plugin that sets authors, or set “author” in the site’s settings to null.',
      )
