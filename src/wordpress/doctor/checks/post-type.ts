import { GalleyError } from '../../../errors.ts'
import type { WordPressClient } from '../../client/index.ts'
import { failureTextOf } from '../../failures/index.ts'
import type { PostSchema, PostType } from '../../schema.ts'
import type { CurrentUser } from '../../types.ts'
import {
  type CheckName,
  type Finding,
  findingFromFailure,
  ok,
  problem,
  type SiteAbilities,
  warning,
} from '../report.ts'

export function checkPostType(postTypes: PostType[], restBase: string): Finding {
  const type = postTypes.find((candidate) => candidate.restBase === restBase)
  if (!type) {
    return problem(
      'post_type',
      `There is no post type “${restBase}” that this user may edit; there is ${list(postTypes.map((t) => t.restBase))}.`,
      'Nothing can be delivered to this post type.',
      'Choose one of these in the site’s settings, or let the type be shown in the REST API (show_in_rest).',
    )
  }
  if (!type.hasContent) {
    return problem(
      'post_type',
      `Posts of the type ${type.label} have no content in WordPress.`,
      'The text of a document would be dropped.',
      'Choose another post type in the site’s settings.',
    )
  }
  return ok('post_type', `Documents become ${type.label}.`, 'Posts of this type have a text.')
}

export function checkTerms({ fields }: PostSchema): Finding {
  const missing = ['categories', 'tags'].filter((taxonomy) => !fields.includes(taxonomy))
  if (missing.length === 0)
    return ok('terms', 'Posts of this type take categories and tags.', 'Both are set.')
  return warning(
    'terms',
    `Posts of this type have no ${missing.join(' and no ')}.`,
    `A document’s ${missing.join(' and ')} are left out, with a warning on the delivery.`,
    'Choose another post type, or register the taxonomy for it in WordPress.',
  )
}

/** Whether the user may read the terms that documents name: plugins close them to who may not edit any. */
export async function checkReadableTerms(client: WordPressClient, schema: PostSchema): Promise<Finding> {
  const { fields } = schema
  for (const path of ['categories', 'tags'].filter((taxonomy) => fields.includes(taxonomy))) {
    try {
      await client.request({
        path: `/wp/v2/${path}`,
        query: { per_page: 1, _fields: 'id' },
        doing: `reading the ${path}`,
        subject: 'term',
      })
    } catch (error) {
      if (!(error instanceof GalleyError)) throw error
      const means = 'Categories and tags of documents are left out, with a warning on each delivery.'
      if (error.fault !== 'owner') return findingFromFailure('terms', error, means, 'warning')
      return warning(
        'terms',
        failureTextOf(error).happened,
        means,
        'Let Galley’s user read categories and tags over the REST API: find the plugin whose words these are (Solid Security: “Restricted Access” to the REST API), or make the user an editor.',
      )
    }
  }
  return checkTerms(schema)
}

const list = (names: string[]): string => (names.length > 0 ? names.join(', ') : 'none')

/** Advanced Custom Fields adds it to what a post holds wherever it is, also where it shows no group of fields there. */
const ACF_FIELD = 'acf'

const UNKNOWN_REQUIRED_FIELDS =
  'Of field groups whose setting “Show in REST API” is off, this check cannot tell: nothing shows them to Galley.'

/** What editors must fill in and a document does not bring; no line where Advanced Custom Fields is not there. */
export function checkRequiredFields({
  fields,
  requiredFields,
}: Pick<PostSchema, 'fields' | 'requiredFields'>): Finding[] {
  if (requiredFields.length > 0)
    return [
      warning(
        'required_fields',
        `Advanced Custom Fields requires editors to fill in ${requiredFields.join(', ')}. ${UNKNOWN_REQUIRED_FIELDS}`,
        'It does not ask that of posts written over the REST API: they arrive without, and each delivery says so.',
        'Give those fields a default value, or fill them in in WordPress before the post is published.',
      ),
    ]
  if (!fields.includes(ACF_FIELD)) return []
  return [
    ok(
      'required_fields',
      `Advanced Custom Fields is there, and no field that it shows over the REST API has to be filled in. ${UNKNOWN_REQUIRED_FIELDS}`,
      'Posts arrive with such fields empty, and no delivery says so. Where editors have to fill some in, switch “Show in REST API” on in the settings of their field group (ACF → Field Groups → the group → Group Settings): then this check and each delivery name them.',
    ),
  ]
}

interface Right {
  check: CheckName
  /** Among the links of a post that the user may edit. */
  action: string
  /** Stands for it where no post could be made to ask. */
  capability: string
  may: string
  /** What follows where the user may. */
  granted: string
  means: string
  todo: string
}

const NOTHING_LOST = 'Nothing is lost.'

const rights = {
  publish: {
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
  createCategories: {
    check: 'right_to_create_categories',
    action: 'create-categories',
    capability: 'manage_categories',
    may: 'create categories',
    granted: NOTHING_LOST,
    means: 'A category that is not there is left out; the site’s fallback category takes its place.',
    todo: 'Make the user an editor, or create the categories in WordPress.',
  },
  createTags: {
    check: 'right_to_create_tags',
    action: 'create-tags',
    capability: 'edit_posts',
    may: 'create tags',
    granted: NOTHING_LOST,
    means: 'A tag that is not there is left out.',
    todo: 'Make the user an author or editor, or create the tags in WordPress.',
  },
} satisfies Record<string, Right>

type Rights = Pick<SiteAbilities, keyof typeof rights>

/**
 * What the user may do, asked of WordPress twice: its links on a draft of the user's own are worked out with
 * every plugin's say, while the capabilities in the profile are what the role was given.
 */
export function checkRights(
  { name, capabilities, isHidden }: CurrentUser,
  { fields }: PostSchema,
  draft: { actions: string[]; status: string } | null,
): { findings: Finding[]; abilities: Rights } {
  const holds = ({ capability }: Right): boolean => !isHidden && (capabilities[capability] ?? false)
  const has = (right: Right): boolean => (draft ? draft.actions.includes(right.action) : holds(right))
  const findings = Object.values(rights)
    .filter(({ action }) => !action.startsWith('create-') || fields.includes(action.slice('create-'.length)))
    .map((right) =>
      has(right)
        ? ok(right.check, `${name} may ${right.may}.`, right.granted)
        : draft && right === rights.publish && holds(right)
          ? statusTakesRightFinding(name, draft.status)
          : warning(right.check, `${name} may not ${right.may}.`, right.means, right.todo),
    )
  const abilities = {
    // What a plugin takes from one status it may give to another: publishing is tried.
    publish: has(rights.publish) || holds(rights.publish),
    createCategories: has(rights.createCategories),
    createTags: has(rights.createTags),
  }
  return { findings, abilities }
}

const statusTakesRightFinding = (name: string, status: string): Finding =>
  warning(
    'right_to_publish',
    `${name} has the right to publish, but not a post in the status “${status}”, in which drafts begin here: a plugin takes it away.`,
    'Galley cannot know beforehand whether posts can be published. It tries; where WordPress refuses, they arrive as pending, or are held, as the site’s settings say.',
    'If posts are to be published at once, exempt Galley’s user in that plugin, or switch its guard off (VIP Workflow: Publish Guard).',
  )
