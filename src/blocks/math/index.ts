import { z } from 'zod'
import { excerpt, truncate } from '../../lib/text.ts'
import { type RenderContext, wrapFormat } from '../../render/context.ts'
import { blockMarkup, escapeAttribute, escapeCode, escapeText } from '../../render/escape.ts'
import { codeBlock } from '../code-block/index.ts'
import type { BlockDefinition, InlineDefinition } from '../define.ts'
import type { Reading } from '../read.ts'
import { firstMember, plainText, textNames } from '../wire.ts'
import { mathMl } from './mathml.ts'

/** A formula: by itself, or amid text. */
export interface Formula {
  type: 'math'
  latex: string
}

const latexNames = ['latex', 'tex', 'expression', 'equation', 'formula', 'math', ...textNames] as const
const aliases = ['equation', 'formula', 'latex', 'tex', 'katex', 'mathjax']

const latex = z.string().describe('LaTeX, as in `E = mc^2`.')

/** LaTeX without the signs that set it apart from a text. */
function latexIn(written: unknown): string {
  const text = plainText(written)
    .replace(/(?![\t\n])\p{Cc}|[\p{Surrogate}\ufeff\ufffc\ufffe\uffff]/gu, '')
    .trim()
  const [, inside] =
    /^(?:\$\$(.+)\$\$|\$([^$]+)\$|\\\[(.+)\\\]|\\\((.+)\\\))$/s.exec(text)?.filter(Boolean) ?? []
  return (inside ?? text).trim()
}

/** Whether it stays a formula: long ones, and many of them, take too long to set. */
function isFormula(latex: string, reading: Reading): boolean {
  if (reading.formula(latex)) return true
  reading.warn(
    'math_as_code',
    `a formula is too long, or there are too many: “${excerpt(latex, 60)}” stays LaTeX`,
  )
  return false
}

/** MathML where the editor has formulas; a warning, and nothing, elsewhere. */
function setFormula(latex: string, display: boolean, context: RenderContext): string | undefined {
  if (context.format === 'classic' || !context.isAtLeast(6, 9)) {
    context.warn(
      'math_as_code',
      'Formulas stand as their LaTeX, set as code: the block editor has formulas since WordPress 6.9, and the classic editor has none.',
    )
    return undefined
  }
  const markup = mathMl(latex, display)
  if (markup === undefined)
    context.warn(
      'math_as_code',
      `The formula “${truncate(latex, 80)}” stands as its LaTeX, set as code: it cannot be read as LaTeX.`,
    )
  return markup === undefined ? undefined : context.spend(markup)
}

export const math: BlockDefinition<Formula, 'latex'> = {
  type: 'math',
  aliases: ['math_block', 'block_math', 'display_math', ...aliases],
  names: { latex: latexNames },
  description:
    'A formula by itself. Where WordPress has no formulas (before 6.9, and in the classic editor), its LaTeX is shown as code.',
  example: { latex: 'h(t) = \\sum_i A_i \\cos(\\omega_i t)' },
  shape: () => ({ latex }),
  read: (members, reading) => {
    const latex = latexIn(members.latex)
    if (latex === '') return []
    return [isFormula(latex, reading) ? { type: 'math', latex } : { type: 'code_block', value: latex }]
  },
  render: {
    block: ({ latex }, context) => {
      const markup = setFormula(latex, true, context)
      if (markup === undefined) return codeBlock.render.block(asCode(latex), context)
      const element = `<math display="block">${markup}</math>`
      return blockMarkup('math', { latex }, `<div class="wp-block-math">${element}</div>`)
    },
    classic: ({ latex }, context) => {
      setFormula(latex, true, context)
      return codeBlock.render.classic(asCode(latex), context)
    },
  },
  parts: ({ latex }) => [[{ type: 'math', latex }]],
}

const asCode = (latex: string) => ({ type: 'code_block', language: 'latex', value: latex }) as const

export const inlineMath: InlineDefinition<Formula> = {
  type: 'math',
  aliases: ['inline_math', 'math_inline', 'inline_equation', ...aliases],
  // What stands as code is one with the code beside it.
  open: '<code>',
  close: '</code>',
  description: 'A formula amid the text.',
  example: { latex: 'T = 12.42\\,\\mathrm{h}' },
  shape: () => ({ latex }),
  read: (wire, reading) => {
    const latex = latexIn(firstMember(wire, latexNames))
    if (latex === '') return []
    if (isFormula(latex, reading)) return [{ type: 'math', latex }]
    return [{ type: 'code', children: [{ type: 'text', text: latex }] }]
  },
  render: ({ latex }, _html, context, { open, verbatim }) => {
    const markup = setFormula(latex, false, context)
    if (markup !== undefined)
      return `<math data-latex="${escapeAttribute(inOneLine(latex))}">${markup}</math>`
    const code = verbatim ? escapeCode(latex) : escapeText(latex)
    return open.has('code') ? code : wrapFormat('<code>', code, '</code>')
  },
}

/**
 * LaTeX as an attribute, which has one line: a comment would go on to the end of it. Shortcodes run in attributes; a space behind
 * the bracket means nothing to LaTeX.
 */
const inOneLine = (latex: string): string =>
  latex.replace(/\\[\s\S]|%.*/g, (piece) => (piece.startsWith('%') ? '' : piece)).replace(/\[(?=\S)/g, '[ ')
