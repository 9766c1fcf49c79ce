import type { CodeBlock } from '../../contract/tree.ts'
import { escapeCode } from '../escape.ts'
import { languageClass } from '../language.ts'
import type { Handler } from '../state.ts'
import { isBlank } from '../within.ts'

export const codeBlock: Handler<CodeBlock> = (node, state) => {
  const code = state.spend(escapeCode(node.value))
  if (isBlank(code)) return ''
  const language = languageClass(node, state)
  return `<pre><code${language === undefined ? '' : ` class="${language}"`}>${code}</code></pre>`
}
