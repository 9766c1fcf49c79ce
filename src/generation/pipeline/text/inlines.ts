import { decodeHTMLStrict } from 'entities'
import type { Inline } from '../../../contract/generation/results.ts'
import { type Citations, hostOf } from './citations.ts'
import { cleanText } from './clean.ts'

/** `code`, `**bold**`, `*italic*`, `[words](s1)`, `[s1]`: all that a model may write in a text beside words. */
const marks =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*|!?\[([^\][\n]*)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)?)(?: "[^"\n]*")?\)|\[(s\d{1,4})\]/g

/** Tags that models write out of habit, and the mark of each; those of no mark are left out. */
const tag =
  /<\/?(p|br|b|strong|i|em|u|a|span|div|code|cite|sup|sub|ul|ol|li|h[1-6]|blockquote)( [^<>]{0,500})?\/?>/gi
const markOf: Readonly<Record<string, string>> = { b: '**', strong: '**', i: '*', em: '*', code: '`' }

const address = /https?:\/\/[^\s<>"'()[\]]+/gi

/** A model's text as inline content. Only what `citations` knows becomes a link; other addresses become words. */
export function inlinesOf(text: string, citations: Citations): Inline[] {
  const line = cleanText(withoutTags(text)).replace(/\s+/g, ' ').trim()
  const inlines: Inline[] = []
  let from = 0
  for (const found of line.matchAll(marks)) {
    const before = line.charAt(found.index - 1)
    const inline = marked(found, before, citations)
    if (inline === undefined) continue
    inlines.push({ type: 'text', text: shown(line.slice(from, found.index), citations) }, inline)
    from = found.index + found[0].length
  }
  inlines.push({ type: 'text', text: shown(line.slice(from), citations) })
  return joined(inlines)
}

/** The same as words alone, for where no marks can be. */
export const plainOf = (text: string, citations: Citations): string =>
  inlinesOf(text, { ...citations, cite: () => undefined })
    .map((inline) => inline.text)
    .join('')
    .trim()

/** What a mark stands for; undefined where it is no mark but a star or a bracket. */
function marked(found: RegExpMatchArray, before: string, citations: Citations): Inline | undefined {
  const [, code, bold, italic, words, target, id] = found
  if (code !== undefined) return { type: 'code', text: code }
  if (bold !== undefined)
    return bold.trim() === bold ? { type: 'bold', text: bare(bold, citations) } : undefined
  if (italic !== undefined)
    return italic.trimEnd() === italic && !/[\p{L}\p{N}]/u.test(before)
      ? { type: 'italic', text: bare(italic, citations) }
      : undefined
  if (id !== undefined) return cited(id, citations.nameOf(id) ?? '', citations)
  return cited(target ?? '', bare(words ?? '', citations), citations)
}

/** A link where its target is known, else its words. */
function cited(target: string, words: string, citations: Citations): Inline {
  const url = words === '' ? undefined : citations.cite(target)
  return url === undefined ? { type: 'text', text: words } : { type: 'link', text: words, url }
}

/** Without marks inside marks. */
const bare = (text: string, citations: Citations): string =>
  shown(text.replace(/\[([^\][]*)\](?:\([^()]*\))?/g, '$1').replace(/[*`[\]]/g, ''), citations)

/** Entities as what they mean, and addresses that nobody gave as the names of their sites. */
const shown = (text: string, citations: Citations): string =>
  decodeHTMLStrict(text).replace(address, (url) => (citations.mayShow(url) ? url : (hostOf(url) ?? '')))

/** Tags are no part of a text, but for what stands in code. */
const withoutTags = (text: string): string =>
  text
    .split('`')
    .map((piece, index) =>
      index % 2 === 1 ? piece : piece.replace(tag, (_, name: string) => markOf[name.toLowerCase()] ?? ' '),
    )
    .join('`')

function joined(inlines: readonly Inline[]): Inline[] {
  const all: Inline[] = []
  for (const inline of inlines) {
    const last = all.at(-1)
    if (inline.text === '') continue
    if (last?.type === 'text' && inline.type === 'text') last.text += inline.text
    else all.push({ ...inline })
  }
  return all
}
