import { z } from 'zod'
import { asFailure, GalleyError, recoverWith } from '../../../errors.ts'
import { requestParsed, type WordPressClient } from '../../client/client.ts'
import { failureTextOf } from '../../failures/classify.ts'
import { boundedArray, labelSchema } from '../../fields.ts'
import { findTags } from '../../html.ts'
import { readLanguages, type SeoField, seoFields } from '../../schema.ts'
import type { CurrentUser } from '../../types.ts'
import { type Finding, line, type MarkupChoice } from '../report.ts'

const pluginsSchema = boundedArray(z.object({ plugin: labelSchema(), status: labelSchema() }))

const CLASSIC =
  /^(classic-editor|disable-gutenberg|no-gutenberg|enable-classic-editor|classic-editor-addon)\//

/** Which editor a person will open the post in, by the plugins or by what was written. @param written asked without plugins */
export async function checkEditor(
  client: WordPressClient,
  namespaces: string[] | null,
  format: MarkupChoice = 'auto',
  written: () => Promise<AuthoringStyle | null> = async () => null,
): Promise<Finding> {
  if (namespaces !== null && namespaces.length > 0 && !namespaces.includes('wp-block-editor/v1'))
    return classicEditorFinding('This WordPress has no block editor.', format)
  const plugins = await activePlugins(client)
  if (plugins === null) return pluginsHiddenFinding(format, await written())
  const replaced = plugins.find((plugin) => CLASSIC.test(plugin))
  if (replaced === undefined)
    return line.editor.ok('The block editor is there, and no plugin replaces it.', markupOf(format))
  const seen = `The plugin ${replaced.split('/')[0]} is active; its own settings, which no REST API shows, may leave posts to the block editor.`
  return classicEditorFinding(seen, format)
}

function pluginsHiddenFinding(format: MarkupChoice, written: AuthoringStyle | null): Finding {
  const who = 'which plugins are active only an administrator may see'
  if (written === 'no blocks')
    return classicEditorFinding(
      `The newest posts of other people were written without blocks, as in the classic editor or with a page builder; ${who}.`,
      format,
    )
  if (written === 'blocks')
    return line.editor.ok(
      `The block editor is there, and other people have written their newest posts in it; ${who}.`,
      markupOf(format),
    )
  return line.editor.ok(
    `The block editor is there. Whether a plugin such as Classic Editor takes its place, this check cannot tell: ${who}.`,
    format === 'auto'
      ? `${markupOf(format)} If posts open in the classic editor, those show the comments of their blocks there: set this site to classic markup in its settings then.`
      : markupOf(format),
  )
}

const classicEditorFinding = (seen: string, format: MarkupChoice): Finding =>
  format === 'auto'
    ? line.editor.warning(
        seen,
        'Posts are written as blocks, which show their comments in the classic editor.',
        'If posts open in the classic editor, set this site to classic markup in its settings. If the block editor is chosen for them under Settings → Writing in WordPress, set it to block markup, and nothing is left to do.',
      )
    : line.editor.ok(seen, markupOf(format))

const markupOf = (format: MarkupChoice): string =>
  format === 'auto'
    ? 'Posts are written as blocks.'
    : `Posts are written as ${chosen[format]}, as the site’s settings say.`

const chosen = { block: 'blocks', classic: 'classic markup' }

async function activePlugins(client: WordPressClient): Promise<string[] | null> {
  const plugins = await requestParsed(client, pluginsSchema, {
    path: '/wp/v2/plugins',
    query: { _fields: 'plugin,status' },
    doing: 'reading the plugins',
    subject: 'site',
  }).catch(recoverWith(null, ({ fault }) => fault !== 'galley'))
  const active = plugins?.value.filter(({ status }) => status.endsWith('active') && status !== 'inactive')
  return active?.map(({ plugin }) => plugin) ?? null
}

type AuthoringStyle = 'blocks' | 'no blocks'

/** The newest say what people use now. */
const SAMPLED_POSTS = 5

const writtenSchema = boundedArray(z.object({ content: z.object({ block_version: z.number() }).optional() }))

/** How the newest public posts of others were written; null where this user is shown none. */
export async function detectAuthoringStyle(
  client: WordPressClient,
  { postType, user }: { postType: string; user: CurrentUser },
): Promise<AuthoringStyle | null> {
  if (user.id === 0) return null
  const posts = await requestParsed(client, writtenSchema, {
    path: `/wp/v2/${postType}`,
    query: {
      context: 'edit',
      _fields: 'content.block_version',
      author_exclude: user.id,
      // By date, those of one second come in any order.
      orderby: 'id',
      per_page: SAMPLED_POSTS,
    },
    doing: 'looking how posts are written',
    subject: 'post',
  }).catch(recoverWith(null, ({ fault }) => fault !== 'galley'))
  const versions = posts?.value.flatMap(({ content }) => (content ? [content.block_version] : [])) ?? []
  if (versions.length === 0) return null
  return versions.some((version) => version > 0) ? 'blocks' : 'no blocks'
}

const POLYLANG = 'pll/v1'
const WPML = 'wpml/v1'

interface LanguageCheckInput extends Pick<PluginSigns, 'frontPage'> {
  /** Of the REST API; empty where it shows its index to nobody. */
  namespaces: readonly string[]
  /** As the site's settings name it; null where they name none. */
  language: string | null
}

/** Whether documents come in the language they are in; null on a site of one language. */
export async function checkLanguages(
  client: WordPressClient,
  { namespaces, language, frontPage }: LanguageCheckInput,
): Promise<Finding | null> {
  if (namespaces.includes(WPML) && !namespaces.includes(POLYLANG))
    return line.language.warning(
      'WPML keeps posts in several languages here, and Galley cannot choose among them.',
      'Posts are created in the site’s default language, with categories and tags of that language.',
      'Send this site documents in its default language alone, or set the language of each post in WordPress.',
    )
  if (namespaces.length > 0 && !namespaces.includes(POLYLANG) && language === null)
    return checkFrontPage(frontPage)
  const languages = await readLanguages(client).catch(asFailure)
  if (languages instanceof GalleyError) {
    const means = 'Posts may be filed under a different language from that of their text.'
    return line.language.failed(languages, means, 'warning')
  }
  if (languages.length < 2 && language === null) return checkFrontPage(frontPage)
  const known = languages.map(({ slug, name }) => `${slug} (${name})`).join(', ') || 'none'
  const named = languages.find(({ slug }) => slug === language)
  if (named !== undefined) {
    const seen = `Documents are in ${named.name} (${named.slug}).`
    return line.language.ok(seen, 'They get terms of that language.')
  }
  if (language !== null)
    return line.language.warning(
      `The settings name the language ${language}, which the site does not have: it has ${known}.`,
      'Posts are created in the site’s default language, with its terms.',
      'Set “language” in the site’s settings to one of these, or to null.',
    )
  const main = languages.find(({ isDefault }) => isDefault)
  return line.language.warning(
    `Polylang has several languages here, ${known}, and the settings name none.`,
    `Posts are created in ${main?.name ?? 'the default language'}, and a category or tag of another language is exchanged for its translation.`,
    'Set “language” in the site’s settings to that of the documents.',
  )
}

const MAX_LISTED_LANGUAGES = 20

/** Of a site that tells of its languages in the heads of its pages alone. */
function checkFrontPage(frontPage: string | null): Finding | null {
  if (frontPage === null)
    return line.language.ok(
      'Galley cannot tell whether the site has several languages: its REST API names none, and visitors are not shown its first page.',
      'If it has several, documents are created in its default one, with the categories and tags of that language.',
    )
  const named = findTags(frontPage, ['link'])
    .filter(({ attributes }) => attributes.get('rel')?.toLowerCase() === 'alternate')
    .map(({ attributes }) => attributes.get('hreflang') ?? '')
    .filter((language) => /^[a-z]{2,3}(?:-[a-z0-9]{2,8})?$/i.test(language))
  const languages = [...new Set(named)].slice(0, MAX_LISTED_LANGUAGES)
  if (languages.length < 2) return null
  return line.language.warning(
    `The first page of the site is there in several languages (${languages.join(', ')}), of which nothing is told over the REST API.`,
    'Where posts have a language each, documents are created in the site’s default one, with its categories and tags.',
    'If Polylang does this, update it to 3.7 or newer and set “language” in the site’s settings. If pages are translated as they are shown (TranslatePress, Weglot), nothing needs to be done.',
  )
}

const SEO_PLUGINS: ReadonlyMap<string, string> = new Map([
  ['yoast/v1', 'Yoast SEO'],
  ['rankmath/v1', 'Rank Math'],
  ['aioseo/v1', 'All in One SEO'],
  ['seopress/v1', 'SEOPress'],
  ['surerank/v1', 'SureRank'],
])

export interface PluginSigns {
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
    return line.seo.ok(
      `The description for search engines goes to ${field.plugin} (${field.key}).`,
      'It is set.',
    )
  }
  const plugin = pluginOf(namespaces ?? [], frontPage ?? '')
  if (plugin === undefined) {
    const [seen, means] = [
      'No field for search engines is offered to the REST API.',
      'The description becomes the excerpt alone.',
    ]
    if (namespaces !== null && frontPage !== null) return line.seo.ok(seen, means)
    const hidden =
      namespaces === null
        ? 'the site hides the index of its REST API'
        : 'some show themselves on pages alone, and visitors are not shown the first page'
    return line.seo.ok(
      `${seen} Galley cannot tell whether there is an SEO plugin: ${hidden}.`,
      `${means} If there is one, enter its description in WordPress.`,
    )
  }
  const known = seoFields.find((each) => each.plugin === plugin)
  if (known === undefined) {
    return line.seo.ok(
      `${plugin} is there, but accepts no description over the REST API.`,
      'The description becomes the excerpt alone; enter the one for search engines in WordPress.',
    )
  }
  return line.seo.warning(
    `${plugin} is there, but its description is not open to the REST API.`,
    'The description becomes the excerpt alone.',
    `To have it set, add this to a plugin or to functions.php: ${registerMetaSnippet(postType, known.key)}`,
  )
}

/** The SEO Framework has no routes; it signs the head of each page. */
const pluginOf = (namespaces: string[], frontPage: string): string | undefined =>
  namespaces.map((namespace) => SEO_PLUGINS.get(namespace)).find((name) => name !== undefined) ??
  (frontPage.includes('<!-- The SEO Framework ') ? 'The SEO Framework' : undefined)

/** The field is there, and the site refuses what is written to it. */
export const seoRefusedFinding = (
  { plugin, key }: SeoField,
  refusal: GalleyError,
  postType = 'post',
): Finding =>
  line.seo.warning(
    `The description of ${plugin} (${key}) is offered to the REST API, and refused: ${failureTextOf(refusal).happened}`,
    'Posts are delivered without it, with a warning; the description becomes the excerpt alone.',
    `Where it is registered, give it an auth_callback, as here: ${registerMetaSnippet(postType, key)}`,
  )

/** Without `auth_callback` WordPress refuses the protected key, and it shows no meta of a type without custom fields. */
function registerMetaSnippet(postType: string, key: string): string {
  const support = postType === 'post' ? '' : `add_post_type_support('${postType}', 'custom-fields'); `
  return `add_action('init', function () { ${support}register_post_meta('${postType}', '${key}', ['type' => 'string', 'single' => true, 'show_in_rest' => true, 'auth_callback' => function () { return current_user_can('edit_posts'); }]); });`
}
