import type { Heading } from '../../contract/tree.ts'
import { blockComment, escapeBlockAttribute } from '../escape.ts'
import { headingLevel } from '../heading-level.ts'
import { renderInlines } from '../inline.ts'
import type { Handler } from '../state.ts'
import { anchorName } from '../url.ts'

export const heading: Handler<Heading> = (node, state) => {
  const html = renderInlines(node.content, state)
  if (html === '') return ''
  const level = headingLevel(node, state)
  const anchor = anchorName(node.anchor ?? '')
  const comment = blockComment({
    ...(level === 2 ? {} : { level }),
    ...(anchor !== '' && state.anchorInComment ? { anchor } : {}),
  })
  const id = anchor === '' ? '' : ` id="${escapeBlockAttribute(anchor)}"`
  const attributes = state.anchorInComment
    ? `${id} class="wp-block-heading"`
    : ` class="wp-block-heading"${id}`
  return `<!-- wp:heading${comment} -->\n<h${level}${attributes}>${html}</h${level}>\n<!-- /wp:heading -->`
}
