import type { CodeBlock } from '../../contract/tree.ts'
import { blockComment, escapeCode } from '../escape.ts'
import { languageClass } from '../language.ts'
import type { Handler } from '../state.ts'
import { isBlank } from '../within.ts'

export const codeBlock: Handler<CodeBlock> = (node, state) => {
  const code = state.spend(escapeCode(node.value))
  if (isBlank(code)) return ''
  const className = languageClass(node, state)
  const comment = blockComment(className === undefined ? {} : { className })
  const classes = className === undefined ? 'wp-block-code' : `wp-block-code ${className}`
  return `<!-- wp:code${comment} -->\n<pre class="${classes}"><code>${code}</code></pre>\n<!-- /wp:code -->`
}
