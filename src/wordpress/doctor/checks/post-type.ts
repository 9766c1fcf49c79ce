import { type PostSchema, type PostType, type SeoField, seoFields } from '../../schema/index.ts'
import { ok, problem, warning } from '../finding.ts'
import type { Finding } from '../types.ts'

export function checkPostType(postTypes: PostType[], restBase: string): Finding {
  const type = postTypes.find((candidate) => candidate.restBase === restBase)
  if (!type) {
    return problem(
      'post_type',
      `There is no post type “${restBase}” that this user may edit; there is ${list(postTypes.map((t) => t.restBase))}.`,
      'Nothing can be delivered as this type.',
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
  return ok('post_type', `Documents become ${type.label}.`, 'The type takes a text.')
}

export function checkTerms({ fields }: PostSchema): Finding {
  const missing = ['categories', 'tags'].filter((taxonomy) => !fields.includes(taxonomy))
  if (missing.length === 0)
    return ok('terms', 'Posts of this type take categories and tags.', 'Both are set.')
  return warning(
    'terms',
    `Posts of this type take no ${missing.join(' and no ')}.`,
    `A document’s ${missing.join(' and ')} are left out, with a warning on the delivery.`,
    'Choose another post type, or register the taxonomy for it in WordPress.',
  )
}

/** SEO plugins by their namespace in the REST API. */
const SEO_PLUGINS: Record<string, string> = {
  'yoast/v1': 'Yoast SEO',
  'rankmath/v1': 'Rank Math',
  'aioseo/v1': 'All in One SEO',
  'seopress/v1': 'SEOPress',
  'the-seo-framework/v1': 'The SEO Framework',
  'surerank/v1': 'SureRank',
}

export function checkSeo(field: SeoField | null, namespaces: string[], postType = 'post'): Finding {
  if (field) {
    return ok(
      'seo',
      `The description for search engines goes to ${field.plugin} (${field.key}).`,
      'It is set.',
    )
  }
  const plugin = namespaces.map((namespace) => SEO_PLUGINS[namespace]).find((name) => name !== undefined)
  if (plugin === undefined) {
    return ok(
      'seo',
      'No field for search engines is offered to the REST API.',
      'The description becomes the excerpt alone.',
    )
  }
  const known = seoFields.find((each) => each.plugin === plugin)
  if (known === undefined) {
    return ok(
      'seo',
      `${plugin} is there, and takes no description over the REST API.`,
      'The description becomes the excerpt alone; enter the one for search engines in WordPress.',
    )
  }
  return warning(
    'seo',
    `${plugin} is there, but its description is not open to the REST API.`,
    'The description becomes the excerpt alone.',
    `To have it set, add this to a plugin or to functions.php: ${registration(postType, known.key)}`,
  )
}

/** Whole: without `auth_callback`, WordPress saves the post and then refuses the field, since its key is protected. */
const registration = (postType: string, key: string): string =>
  `add_action('init', function () { register_post_meta('${postType}', '${key}', ['type' => 'string', 'single' => true, 'show_in_rest' => true, 'auth_callback' => function () { return current_user_can('edit_posts'); }]); });`

const list = (names: string[]): string => (names.length > 0 ? names.join(', ') : 'none')
