import { z } from 'zod'
import { GalleyError } from '../../../errors.ts'
import { read, type WordPressClient } from '../../client/index.ts'
import { label, listOf } from '../../fields.ts'
import { ok, warning } from '../finding.ts'
import type { Finding, MarkupChoice, SiteAbilities } from '../types.ts'
import type { WrittenIn } from './written-in.ts'

const pluginsSchema = listOf(z.object({ plugin: label(), status: label() }))

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
  written: () => Promise<WrittenIn | null> = async () => null,
): Promise<{ finding: Finding; editor: SiteAbilities['editor'] }> {
  if (namespaces !== null && namespaces.length > 0 && !namespaces.includes('wp-block-editor/v1')) {
    return { finding: classic('This WordPress has no block editor.', format), editor: 'classic' }
  }
  const plugins = await activePlugins(client)
  if (plugins === null) return { finding: unseen(format, await written()), editor: 'block' }
  const replaced = plugins.find((plugin) => CLASSIC.test(plugin))
  if (replaced !== undefined) {
    const seen = `The plugin ${replaced.split('/')[0]} is active; its own settings, which no REST API shows, may leave posts to the block editor.`
    return { finding: classic(seen, format), editor: 'classic' }
  }
  const seen = 'The block editor is there, and no plugin replaces it.'
  return { finding: ok('editor', seen, markupOf(format)), editor: 'block' }
}

/** What is said to whoever may not see the plugins. */
function unseen(format: MarkupChoice, written: WrittenIn | null): Finding {
  const who = 'which plugins are active only an administrator may see'
  if (written === 'no blocks')
    return classic(
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

const classic = (seen: string, format: MarkupChoice): Finding =>
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
    const { value } = await read(client, pluginsSchema, {
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
