import type { Paragraph } from '../../contract/tree.ts'
import { escapeAddressAlone } from '../escape.ts'
import { renderInlines } from '../inline.ts'
import type { Handler } from '../state.ts'

export const paragraph: Handler<Paragraph> = ({ content }, state) =>
  paragraphBlock(renderInlines(content, state))

/** @param html rendered inline content */
export const paragraphBlock = (html: string): string =>
  html === '' ? '' : `<!-- wp:paragraph -->\n<p>${escapeAddressAlone(html)}</p>\n<!-- /wp:paragraph -->`
