import { z } from 'zod'
import { trimOf } from '../../lib/text.ts'
import { isBlankHtml, type RenderContext } from '../../render/context.ts'
import { blockMarkup, escapeCode } from '../../render/escape.ts'
import type { BlockDefinition } from '../define.ts'
import { plainText } from '../wire.ts'

export interface CodeBlock {
  type: 'code_block'
  language?: string
  value: string
}

/** `language-ts`, reduced to characters of language names; `undefined` without a name. */
function languageClass({ language }: CodeBlock, { settings }: RenderContext): string | undefined {
  if (!settings.code_language_class || language === undefined) return undefined
  // Filter before lower-casing: İ and the Kelvin sign have ASCII lower-case forms.
  const name = trimOf(language.replace(/[^a-z0-9+#.]+/gi, '-'), '-').toLowerCase()
  return name === '' ? undefined : `language-${name}`
}

export const codeBlock: BlockDefinition<CodeBlock, 'value' | 'language'> = {
  type: 'code_block',
  aliases: ['codeblock', 'code', 'pre', 'code_snippet', 'snippet'],
  names: { value: ['value', 'code', 'text', 'content', 'children'], language: ['language', 'lang'] },
  description: 'Code that stands by itself.',
  example: { language: 'ts', value: 'const hours = 12.42\nconst tides = 24 / hours' },
  shape: () => ({
    value: z.string().describe('The code as it is, with its line breaks and spaces.'),
    language: z.string().optional().describe('As highlighters name it: `ts`, `python`.'),
  }),
  /** An array has one line per entry. */
  read: ({ value, language }, reading) => {
    const name = typeof language === 'string' ? reading.line('language', language.trim()) : ''
    if (/^(?:mermaid|plantuml|graphviz)$/i.test(name))
      reading.warn('format_changed', `the diagram in ${name} stands as its code: WordPress draws none`)
    return [
      {
        type: 'code_block',
        value: Array.isArray(value) ? value.map(plainText).join('\n') : plainText(value),
        ...(name !== '' && { language: name }),
      },
    ]
  },
  render: {
    block: (node, context) => {
      const code = context.spend(escapeCode(node.value))
      if (isBlankHtml(code)) return ''
      const className = languageClass(node, context)
      const classes = className === undefined ? 'wp-block-code' : `wp-block-code ${className}`
      return blockMarkup('code', { className }, `<pre class="${classes}"><code>${code}</code></pre>`)
    },
    classic: (node, context) => {
      const code = context.spend(escapeCode(node.value))
      if (isBlankHtml(code)) return ''
      const language = languageClass(node, context)
      return `<pre><code${language === undefined ? '' : ` class="${language}"`}>${code}</code></pre>`
    },
  },
  parts: ({ value }) => [[{ type: 'text', text: value }]],
  spoken: () => [],
}
