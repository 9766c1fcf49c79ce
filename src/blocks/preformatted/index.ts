import type { RenderContext } from '../../render/context.ts'
import { blockMarkup } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import type { Inline } from '../index.ts'
import { textNames } from '../wire.ts'

interface Verbatim<Type extends string> {
  type: Type
  content: Inline[]
}

/** A browser drops a line break behind `<pre>`, and the editor with it. */
const verbatim = (content: readonly Inline[], context: RenderContext): string =>
  context.inlines(content, true).replace(/^\n+/, '')

/** Text whose line breaks and spaces are kept, with formats in it. */
const defineVerbatim = <Type extends 'preformatted' | 'verse'>(
  type: Type,
  aliases: readonly string[],
  description: string,
  example: string,
): BlockDefinition<Verbatim<Type>, 'content'> => ({
  type,
  aliases,
  names: { content: textNames },
  description,
  example: { content: example },
  shape: ({ inlines }) => ({ content: inlines }),
  read: ({ content }, reading) => [{ type, content: reading.inlines(content) } as never],
  render: {
    block: ({ content }, context) => {
      const html = verbatim(content, context)
      return html === '' ? '' : blockMarkup(type, {}, `<pre class="wp-block-${type}">${html}</pre>`)
    },
    classic: ({ content }, context) => {
      const html = verbatim(content, context)
      return html === '' ? '' : `<pre>${html}</pre>`
    },
  },
  parts: ({ content }) => [content],
})

export const preformatted: BlockDefinition<Verbatim<'preformatted'>, 'content'> = defineVerbatim(
  'preformatted',
  ['preformatted_text', 'plain_text'],
  'Text that keeps its line breaks and spaces, such as a table in letters.',
  'high   06:12\nlow    12:31',
)

export const verse: BlockDefinition<Verbatim<'verse'>, 'content'> = defineVerbatim(
  'verse',
  ['poem', 'poetry', 'lyrics'],
  'A poem, which keeps its lines.',
  'The sea is calm to-night.\nThe tide is full, the moon lies fair',
)
