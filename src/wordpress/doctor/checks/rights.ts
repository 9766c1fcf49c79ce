import type { PostSchema } from '../../schema/index.ts'
import type { CurrentUser } from '../../types.ts'
import { ok, warning } from '../finding.ts'
import type { CheckName, Finding, SiteAbilities } from '../types.ts'

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
          ? takenByStatus(name, draft.status)
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

const takenByStatus = (name: string, status: string): Finding =>
  warning(
    'right_to_publish',
    `${name} has the right to publish, but not a post in the status “${status}”, in which drafts begin here: a plugin takes it away.`,
    'Galley cannot know beforehand whether posts can be published. It tries; where WordPress refuses, they arrive as pending, or are held, as the site’s settings say.',
    'If posts are to be published at once, exempt Galley’s user in that plugin, or switch its guard off (VIP Workflow: Publish Guard).',
  )
