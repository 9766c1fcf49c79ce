import { z } from 'zod'
import { GalleyError } from '../../../errors.ts'
import { requestParsed, type WordPressClient } from '../../client/index.ts'
import { boundedArray, labelSchema } from '../../fields.ts'
import type { CurrentUser } from '../../types.ts'
import { type Finding, type MarkupChoice, ok, type SiteAbilities, warning } from '../report.ts'

const pluginsSchema = boundedArray(z.object({ plugin: labelSchema(), status: labelSchema() }))

/** Plugins that put the classic editor in the block editor's place. */
const CLASSIC =
  /^(classic-editor|disable-gutenberg|no-gutenberg|enable-classic-editor|classic-editor-addon)\//

/**
 * Which editor a person will open the post in. WordPress says it nowhere; its plugins do, to an administrator. Anybody else
 * can tell by what people have written, if at all.
 *
 * @param written asked where the plugins cannot be seen
 */
export async function checkEditor(
  client: WordPressClient,
  namespaces: string[] | null,
  format: MarkupChoice = 'auto',
  written: () => Promise<AuthoringStyle | null> = async () => null,
): Promise<{ finding: Finding; editor: SiteAbilities['editor'] }> {
  if (namespaces !== null && namespaces.length > 0 && !namespaces.includes('wp-block-editor/v1')) {
    return { finding: classicEditorFinding('This WordPress has no block editor.', format), editor: 'classic' }
  }
  const plugins = await activePlugins(client)
  if (plugins === null) return { finding: pluginsHiddenFinding(format, await written()), editor: 'block' }
  const replaced = plugins.find((plugin) => CLASSIC.test(plugin))
  if (replaced !== undefined) {
    const seen = `The plugin ${replaced.split('/')[0]} is active; its own settings, which no REST API shows, may leave posts to the block editor.`
    return { finding: classicEditorFinding(seen, format), editor: 'classic' }
  }
  const seen = 'The block editor is there, and no plugin replaces it.'
  return { finding: ok('editor', seen, markupOf(format)), editor: 'block' }
}

/** What is said to whoever may not see the plugins. */
function pluginsHiddenFinding(format: MarkupChoice, written: AuthoringStyle | null): Finding {
  const who = 'which plugins are active only an administrator may see'
  if (written === 'no blocks')
    return classicEditorFinding(
      `The newest posts of other people were written without blocks, as in the classic editor or with a page builder; ${who}.`,
      format,
    )
  if (written === 'blocks')
    return ok(
      'editor',
      `The block editor is there, and other people have written their newest posts in it; ${who}.`,
      markupOf(format),
    )
  return ok(
    'editor',
    `The block editor is there. Whether a plugin such as Classic Editor takes its place, this check cannot tell: ${who}.`,
    format === 'auto'
      ? `${markupOf(format)} If posts open in the classic editor, those show the comments of their blocks there: set this site to classic markup in its settings then.`
      : markupOf(format),
  )
}

const classicEditorFinding = (seen: string, format: MarkupChoice): Finding =>
  format === 'auto'
    ? warning(
        'editor',
        seen,
        'Posts are written as blocks, which show their comments in the classic editor.',
        'If posts open in the classic editor, set this site to classic markup in its settings. If the block editor is chosen for them under Settings → Writing in WordPress, set it to block markup, and nothing is left to do.',
      )
    : ok('editor', seen, markupOf(format))

const markupOf = (format: MarkupChoice): string =>
  format === 'auto'
    ? 'Posts are written as blocks.'
    : `Posts are written as ${chosen[format]}, as the site’s settings say.`

const chosen = { block: 'blocks', classic: 'classic markup' }

async function activePlugins(client: WordPressClient): Promise<string[] | null> {
  try {
    const { value } = await requestParsed(client, pluginsSchema, {
      path: '/wp/v2/plugins',
      query: { _fields: 'plugin,status' },
      doing: 'reading the plugins',
      subject: 'site',
    })
    return value
      .filter(({ status }) => status.endsWith('active') && status !== 'inactive')
      .map(({ plugin }) => plugin)
  } catch (error) {
    if (error instanceof GalleyError && error.fault !== 'galley') return null
    throw error
  }
}

/** What people here write their posts in. */
type AuthoringStyle = 'blocks' | 'no blocks'

/** The newest say what people use now. */
const SAMPLED_POSTS = 5

const writtenSchema = boundedArray(z.object({ content: z.object({ block_version: z.number() }).optional() }))

/**
 * How the newest public posts of other people were written; null where this user is shown none, as one who may not edit
 * what is others'. Galley's own are left out: they say nothing of the editor.
 */
export async function detectAuthoringStyle(
  client: WordPressClient,
  { postType, user }: { postType: string; user: CurrentUser },
): Promise<AuthoringStyle | null> {
  if (user.id === 0) return null
  try {
    const { value } = await requestParsed(client, writtenSchema, {
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
    })
    const versions = value.flatMap(({ content }) => (content ? [content.block_version] : []))
    if (versions.length === 0) return null
    return versions.some((version) => version > 0) ? 'blocks' : 'no blocks'
  } catch (error) {
    if (error instanceof GalleyError && error.fault !== 'galley') return null
    throw error
  }
}
