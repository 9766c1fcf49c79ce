import type { Paragraph } from '../../contract/tree.ts'
import { escapeAddressAlone } from '../escape.ts'
import { renderInlines } from '../inline.ts'
import type { Handler } from '../state.ts'

export const paragraph: Handler<Paragraph> = ({ content }, state) =>
  paragraphElement(renderInlines(content, state))

/** @param html rendered inline content */
export const paragraphElement = (html: string): string =>
  html === '' ? '' : `<p>${escapeAddressAlone(html)}</p>`
