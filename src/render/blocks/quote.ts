import type { Quote } from '../../contract/tree.ts'
import { renderInlines } from '../inline.ts'
import type { Handler } from '../state.ts'
import { joinBlocks } from './join.ts'
import { paragraphBlock } from './paragraph.ts'

export const quote: Handler<Quote> = ({ paragraphs, citation }, state) => {
  const inside = joinBlocks(paragraphs.map((content) => paragraphBlock(renderInlines(content, state))))
  const source = renderInlines(citation ?? [], state)
  const cite = source === '' ? '' : `<cite>${source}</cite>`
  if (inside + cite === '') return ''
  return `<!-- wp:quote -->\n<blockquote class="wp-block-quote">${inside}${cite}</blockquote>\n<!-- /wp:quote -->`
}
