import type { Heading } from '../../contract/tree.ts'
import { escapeAttribute } from '../escape.ts'
import { headingLevel } from '../heading-level.ts'
import { renderInlines } from '../inline.ts'
import type { Handler } from '../state.ts'
import { anchorName } from '../url.ts'

export const heading: Handler<Heading> = (node, state) => {
  const html = renderInlines(node.content, state)
  if (html === '') return ''
  const level = headingLevel(node, state)
  const anchor = anchorName(node.anchor ?? '')
  const id = anchor === '' ? '' : ` id="${escapeAttribute(anchor)}"`
  return `<h${level}${id}>${html}</h${level}>`
}
