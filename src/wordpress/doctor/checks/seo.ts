import type { GalleyError } from '../../../errors.ts'
import { failureTextOf } from '../../failures/index.ts'
import { type SeoField, seoFields } from '../../schema.ts'
import { type Finding, ok, warning } from '../report.ts'

/** SEO plugins by their namespace in the REST API. */
const SEO_PLUGINS: Record<string, string> = {
  'yoast/v1': 'Yoast SEO',
  'rankmath/v1': 'Rank Math',
  'aioseo/v1': 'All in One SEO',
  'seopress/v1': 'SEOPress',
  'surerank/v1': 'SureRank',
}

/** What a site shows of its plugins. */
interface PluginSigns {
  /** Of its REST API; null where that cannot be told. */
  namespaces: string[] | null
  /** Markup of its first page, as visitors see it; null where they do not. */
  frontPage: string | null
}

export function checkSeo(
  field: SeoField | null,
  { namespaces, frontPage }: PluginSigns,
  postType = 'post',
): Finding {
  if (field) {
    return ok(
      'seo',
      `The description for search engines goes to ${field.plugin} (${field.key}).`,
      'It is set.',
    )
  }
  const plugin = pluginOf(namespaces ?? [], frontPage ?? '')
  const hidden = plugin === undefined ? hiddenPluginSigns({ namespaces, frontPage }) : null
  if (hidden !== null) {
    return ok(
      'seo',
      `No field for search engines is offered to the REST API. Galley cannot tell whether there is an SEO plugin: ${hidden}.`,
      'The description becomes the excerpt alone. If there is one, enter its description in WordPress.',
    )
  }
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
      `${plugin} is there, but accepts no description over the REST API.`,
      'The description becomes the excerpt alone; enter the one for search engines in WordPress.',
    )
  }
  return warning(
    'seo',
    `${plugin} is there, but its description is not open to the REST API.`,
    'The description becomes the excerpt alone.',
    `To have it set, add this to a plugin or to functions.php: ${registerMetaSnippet(postType, known.key)}`,
  )
}

/** The SEO Framework has no routes; it signs the head of each page. */
const pluginOf = (namespaces: string[], frontPage: string): string | undefined =>
  namespaces.map((namespace) => SEO_PLUGINS[namespace]).find((name) => name !== undefined) ??
  (frontPage.includes('<!-- The SEO Framework ') ? 'The SEO Framework' : undefined)

/** What plugins show themselves in, and cannot be seen; null where all of it can. */
function hiddenPluginSigns({ namespaces, frontPage }: PluginSigns): string | null {
  if (namespaces === null) return 'the site hides the index of its REST API'
  return frontPage === null
    ? 'some show themselves on pages alone, and visitors are not shown the first page'
    : null
}

/** The field is there, and the site refuses what is written to it. */
export function seoRefusedFinding(
  { plugin, key }: SeoField,
  refusal: GalleyError,
  postType = 'post',
): Finding {
  return warning(
    'seo',
    `The description of ${plugin} (${key}) is offered to the REST API, and refused: ${failureTextOf(refusal).happened}`,
    'Posts are delivered without it, with a warning; the description becomes the excerpt alone.',
    `Where it is registered, give it an auth_callback, as here: ${registerMetaSnippet(postType, key)}`,
  )
}

/**
 * Whole: without `auth_callback`, WordPress saves the post and then refuses the field, since its key is protected; and the
 * REST API shows no meta of a type without custom fields, which most types of themes and plugins are.
 */
const registerMetaSnippet = (postType: string, key: string): string =>
  `add_action('init', function () { ${withCustomFields(postType)}register_post_meta('${postType}', '${key}', ['type' => 'string', 'single' => true, 'show_in_rest' => true, 'auth_callback' => function () { return current_user_can('edit_posts'); }]); });`

const withCustomFields = (postType: string): string =>
  postType === 'post' ? '' : `add_post_type_support('${postType}', 'custom-fields'); `
