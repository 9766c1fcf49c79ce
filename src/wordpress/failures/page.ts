import { decodeHTML } from 'entities'
import { stripTags } from '../../text.ts'
import { titleOf } from '../html/tags.ts'
import type { RawAnswer } from './types.ts'

/** An answer that is not WordPress's JSON, made ready to be recognised. */
export interface Page {
  status: number
  headers: Record<string, string>
  /** The whole text; pages of this kind are small, and the outbound guard caps the rest. */
  text: string
  /** `<title>`, decoded; empty where there is none. */
  title: string
  /** What a person would read of it; made when it is asked for. */
  readonly words: string
}

/** Far into a page nothing is said about who made it. */
const LOOKED_AT = 256 * 1024

export function readPage({ status, headers, body }: RawAnswer): Page {
  const text = body.subarray(0, LOOKED_AT).toString('utf8')
  return {
    status,
    headers,
    text,
    title: plain(titleOf(text)),
    get words() {
      return plain(text)
    },
  }
}

/** Markup and entities removed, spaces folded: what a person would read. */
export const plain = (html: string): string =>
  decodeHTML(stripTags(html.slice(0, LOOKED_AT), ' '))
    .replace(/\s+/g, ' ')
    .trim()
