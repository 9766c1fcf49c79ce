import type { CodeBlock } from '../../contract/tree.ts'
import { escapeCode } from '../escape.ts'
import { languageClass } from '../language.ts'
import type { Handler } from '../state.ts'

export const codeBlock: Handler<CodeBlock> = (node, state) => {
  if (node.value === '') return ''
  const language = languageClass(node, state)
  return `<pre><code${language === undefined ? '' : ` class="${language}"`}>${escapeCode(node.value)}</code></pre>`
}
