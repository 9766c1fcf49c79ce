import type MarkdownIt from 'markdown-it'
import type { StateBlock, StateInline } from 'markdown-it'

/** Lines of a formula by itself; a blank one ends it. */
const MAX_LINES = 100

/** A dollar that is no price: nothing parts it from the formula, and a sign says that it is one. */
const amid = /\$\$([^$\n]+)\$\$|\$(?=\S)([^$\n]*[^$\s])\$(?![\w$])|\\\(([^\n]{1,2000}?)\\\)/y
const looksLikeMath = /[\\^_{=<>+*|]|^\s*\p{L}\s*$/u

const fences: Readonly<Record<string, string>> = { $$: '$$', '\\[': '\\]' }

/** Formulas as GitHub, pandoc and language models write them: `$$…$$` and `\[…\]` by themselves, `$…$` and `\(…\)` amid text. */
export function markdownMath(parser: ReturnType<typeof MarkdownIt>): void {
  parser.block.ruler.before('fence', 'math', readFormulaBlock, { alt: ['paragraph', 'list', 'blockquote'] })
  parser.inline.ruler.before('escape', 'math', readFormula)
}

function readFormulaBlock(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const lineAt = (line: number) =>
    state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trimEnd()
  const lines: string[] = []
  const sign = lineAt(start).slice(0, 2)
  const close = fences[sign]
  if (close === undefined) return false
  for (let line = start; line < end && lines.length < MAX_LINES; line += 1) {
    const text = line === start ? lineAt(line).slice(2) : lineAt(line)
    if (text.trim() === '' && line > start) return false
    lines.push(text)
    if (!text.endsWith(close)) {
      if (text.includes(close)) return false
      continue
    }
    if (silent) return true
    const token = state.push('fence', 'code', 0)
    token.info = 'math'
    token.content = lines.join('\n').slice(0, -2).trim()
    token.map = [start, line + 1]
    state.line = line + 1
    return true
  }
  return false
}

function readFormula(state: StateInline, silent: boolean): boolean {
  const before = state.src.charAt(state.pos - 1)
  if (/[\w$\\]/.test(before)) return false
  amid.lastIndex = state.pos
  const [written, ...inside] = amid.exec(state.src) ?? []
  const latex = inside.find((text) => text !== undefined)
  if (written === undefined || latex === undefined || !looksLikeMath.test(latex)) return false
  if (!silent) {
    const source = state.md.utils.escapeHtml(latex.trim())
    state.push('html_inline', '', 0).content =
      `<math><annotation encoding="application/x-tex">${source}</annotation></math>`
  }
  state.pos += written.length
  return true
}
