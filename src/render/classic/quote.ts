import type { Quote } from '../../contract/tree.ts'
import { renderInlines } from '../inline.ts'
import type { Handler } from '../state.ts'
import { paragraphElement } from './paragraph.ts'

export const quote: Handler<Quote> = ({ paragraphs, citation }, state) => {
  const inside = paragraphs.map((content) => paragraphElement(renderInlines(content, state))).join('')
  const source = renderInlines(citation ?? [], state)
  const cite = source === '' ? '' : `<p><cite>${source}</cite></p>`
  return inside + cite === '' ? '' : `<blockquote>${inside}${cite}</blockquote>`
}
