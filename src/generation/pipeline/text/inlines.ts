import { decodeHTMLStrict } from 'entities'
import type { WireInline } from '../../../contract/generation/results.ts'
import type { Source } from '../types.ts'

/** `code`, `**bold**`, `*italic*`, `[words](s1)`, `[s1]`: all that a model may write in a text beside words. */
const marks =
  /`([^`\n]+)`|\*{2,3}([^*\n]+)\*{2,3}|\*([^*\s][^*\n]*)\*|!?\[([^\][\n]*)\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)?)(?: "[^"\n]*")?\)|\[(s\d{1,4})\]/g

/** Tags that models write out of habit, and the mark of each; those of no mark are left out. */
const tag =
  /<\/?(p|br|b|strong|i|em|u|a|span|div|code|cite|sup|sub|ul|ol|li|h[1-6]|blockquote|mark|kbd|small|del|ins|s|font|abbr|q|section|details|summary)( [^<>]{0,500})?\/?>/gi
const markOf: Readonly<Record<string, string>> = { b: '**', strong: '**', i: '*', em: '*', code: '`' }
const dividing = /^(p|br|div|ul|ol|li|h[1-6]|blockquote|section|details|summary)$/i

/** A mark of nothing. */
const emptyTag = /<(?:b|strong|i|em|code)>\s?<\/(?:b|strong|i|em|code)>/gi

/** What other programs understand, and no reader: marks of notes, and of sources that only their maker knows. */
const leftovers =
  /\[\^[^\][\n]{1,60}\]|【[^【】\n]{0,60}†[^【】\n]{0,60}】|<!--[^<>]{0,2000}-->|<img\s[^<>]{0,1000}>/gi

/** Words and the number of an address that a model put elsewhere: `[words][1]`, `[words][]`. */
const referred = /(^|[^\p{L}\p{N}_\]])!?\[([^\][\n]+)\]\[([^\][\n]{0,60})\]/gu

/** An id as it is not asked for: `[S1]`, `(s1)`, `[source: s1]`, `【s1】`. */
const spelledId = /([[(【])\s?((?:sources?|citation|ref)[: ]\s?)?(s\d{1,4})\s?[\])】]/gi

/** Numbers of notes that there are not, behind a word or a sentence; `[0, 1]` is an interval, and `a[1] ` an element. */
const numbers =
  /(?:(^|[\s.!?…"”»)])\[[1-9]\d?\](?:\s?\[[1-9]\d?\])*(?=[\s.,;:!?)]|$))|(\p{L})(?:\[[1-9]\d?\])+(?=[.,;!?]|$)/gu

/** The same as a link: `[[1]](…)`. */
const doubled = /\[\[([^\][\n]*)\]\]\(/g

/** A mark within another, which stands for the outer one. */
const nested = {
  bold: /\*\*([^*\s][^*\n]*(?:\*[^*\s][^*\n]*\*[^*\n]*){1,5})\*\*/g,
  italic: /(^|[^*])\*([^*\s][^*\n]*(?:\*\*[^*\n]+\*\*[^*\n]*){1,5})\*(?!\*)/g,
}

/** A space before the mark that ends bold words: it belongs behind it. */
const looselyBold = /(^|[\s(])\*\*([^\s*][^*\n]*)\s\*\*/g

const highlighted = /(^|[\s(])==([^\s=][^=\n]*)==(?![=\w])/g

/** Several ids in one bracket, each of which is a citation. */
const ids = /\[(s\d{1,4}(?:[,;] ?s\d{1,4}){1,9})\]/g

/** Bold, italic and struck words in Markdown's other spelling; within a name, an underscore is part of it. */
const underscored = {
  bold: /(^|[^\p{L}\p{N}_])__([^\s_][^_\n]*)__(?![\p{L}\p{N}_])/gu,
  italic: /(^|[^\p{L}\p{N}_])_([^\s_][^_\n]*)_(?![\p{L}\p{N}_])/gu,
}
const struck = /~~([^~\n]+)~~/g

/** An address in angle brackets. */
const bracketed = /<(https?:\/\/[^\s<>]+)>/gi

/** Characters that Markdown would take for marks, behind a backslash; each stands for itself while marks are looked for. */
const escapable = '*_`[]#~|<>'
const escapes = /\\([*_`[\]#~|<>])/g
const PLACE = 0xe100
const hidden = (text: string): string =>
  outsideCode(text, (piece) =>
    piece.replace(escapes, (_, mark: string) => String.fromCharCode(PLACE + escapable.indexOf(mark))),
  )
const restored = (text: string): string =>
  text.replace(/[\ue100-\ue109]/g, (found) => escapable.charAt(found.charCodeAt(0) - PLACE))

const address = /https?:\/\/[^\s<>"'()[\]]+/gi

export function parseInlines(text: string, citations: Citations): WireInline[] {
  const line = plainMarks(cleanText(withoutTags(hidden(text))), citations)
    .replace(/\s+/g, ' ')
    .trim()
  const inlines: WireInline[] = []
  let from = 0
  for (const found of line.matchAll(marks)) {
    const before = line.charAt(found.index - 1)
    const inline = marked(found, before, citations)
    if (inline === undefined) continue
    inlines.push({ type: 'text', text: shown(line.slice(from, found.index), citations) })
    // The name of a site behind a word without a space would become part of it.
    if (found[6] !== undefined && inline.text !== '' && /[^\s([]/.test(before))
      inlines.push({ type: 'text', text: ' ' })
    inlines.push(inline)
    from = found.index + found[0].length
    // Where nothing stands in the place of a citation, its space goes too.
    if (inline.text === '' && before === ' ' && /^[\s.,;:!?)]/.test(line.slice(from, from + 1)))
      unspaced(inlines.at(-2))
  }
  inlines.push({ type: 'text', text: shown(line.slice(from), citations) })
  return joined(inlines)
}

/** The same as words alone, for where no marks can be. */
export const plainText = (text: string, citations: Citations): string =>
  parseInlines(text, { ...citations, cite: () => undefined })
    .map((inline) => inline.text)
    .join('')
    .trim()

/** What a mark stands for; undefined where it is no mark but a star or a bracket. */
function marked(found: RegExpMatchArray, before: string, citations: Citations): WireInline | undefined {
  const [, code, bold, italic, words, target, id] = found
  if (code !== undefined) return { type: 'code', text: restored(code) }
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
function cited(target: string, words: string, citations: Citations): WireInline {
  const url = words.trim() === '' ? undefined : citations.cite(target)
  // Nothing to click on, or the number of a note that leads nowhere.
  if (url === undefined && /^(\s*|\d{1,2})$/.test(words)) return { type: 'text', text: '' }
  return url === undefined ? { type: 'text', text: words } : { type: 'link', text: words, url }
}

/** Without marks inside marks. */
const bare = (text: string, citations: Citations): string =>
  shown(text.replace(/\[([^\][]*)\](?:\([^()]*\))?/g, '$1').replace(/[*`[\]]/g, ''), citations)

/** Entities as what they mean, and addresses that nobody gave as the names of their sites. */
const shown = (text: string, citations: Citations): string =>
  restored(decodeHTMLStrict(text)).replace(address, (found) => {
    if (citations.mayShow(found)) return found
    // The full stop behind it is the sentence's.
    let end = found.length
    while ('.,;:!?'.includes(found.charAt(end - 1))) end -= 1
    const url = found.slice(0, end)
    return `${citations.mayShow(url) ? url : (hostName(url) ?? '')}${found.slice(end)}`
  })

/** Tags are no part of a text. */
const withoutTags = (text: string): string =>
  outsideCode(text, (piece) =>
    piece
      .replace(emptyTag, '')
      .replace(tag, (_, name: string) => markOf[name.toLowerCase()] ?? (dividing.test(name) ? ' ' : '')),
  )

/** In the one spelling of each mark, without what no reader understands. */
const plainMarks = (text: string, citations: Citations): string =>
  outsideCode(text, (piece) =>
    piece
      .replace(spelledId, (found, open: string, told: string | undefined, id: string, at: number) => {
        const isName = open === '(' && told === undefined && !id.startsWith('s')
        const isTarget = open === '(' && !/^\s?$/.test(piece.charAt(at - 1))
        const known = citations.nameOf(id.toLowerCase()) !== undefined
        return known && !isName && !isTarget ? `[${id.toLowerCase()}]` : found
      })
      .replace(leftovers, '')
      .replace(doubled, '[$1](')
      .replace(referred, (found, before: string, words: string, target: string) =>
        /^s\d{1,4}$/.test(words) || !/\p{L}/u.test(words)
          ? found
          : `${before}${/^s\d{1,4}$/.test(target) ? `[${words}](${target})` : words}`,
      )
      .replace(numbers, (_, before = '', letter = '') => `${before.trim()}${letter}`)
      .replace(bracketed, '$1')
      .replace(ids, (_, all: string) => `[${all.split(/[,;] ?/).join('] [')}]`)
      .replace(struck, '$1')
      .replace(highlighted, '$1$2')
      // `__init__` is a name.
      .replace(underscored.bold, (found, before: string, words: string) =>
        words.includes(' ') ? `${before}**${words}**` : found,
      )
      .replace(underscored.italic, (_, before: string, words: string) => `${before}*${words}*`)
      .replace(looselyBold, (_, before: string, words: string) => `${before}**${words.trimEnd()}** `)
      .replace(nested.bold, (_, words: string) => `**${words.replaceAll('*', '')}**`)
      .replace(
        nested.italic,
        (_, before: string, words: string) => `${before}*${words.replaceAll('*', '')}*`,
      ),
  )

/** What is done to a text, but not to the code in it. */
const outsideCode = (text: string, change: (piece: string) => string): string =>
  text
    .split('`')
    .map((piece, index) => (index % 2 === 1 ? piece : change(piece)))
    .join('`')

function unspaced(inline: WireInline | undefined): void {
  if (inline !== undefined) inline.text = inline.text.trimEnd()
}

function joined(inlines: readonly WireInline[]): WireInline[] {
  const all: WireInline[] = []
  for (const inline of inlines) {
    const last = all.at(-1)
    if (inline.text === '') continue
    if (last?.type === 'text' && inline.type === 'text') last.text += inline.text
    else all.push({ ...inline })
  }
  return all
}

/** Control characters but the line break, halves of characters, what is none, and marks that turn the reading order over. */
const forbiddenCharacters = /(?!\n)\p{Cc}|[\p{Surrogate}\ufeff\ufffc\ufffe\uffff\u202a-\u202e]/gu

/** Text of a model as it can be stored and shown, line breaks kept. */
export const cleanText = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replaceAll('\t', '  ').replace(forbiddenCharacters, '').normalize('NFC')

/** The same in one line. */
export const cleanLine = (text: string): string => cleanText(text).replace(/\s+/g, ' ').trim()

/** Characters as people count them, and WordPress does: those beyond the first plane are one. */
export const characterCount = (text: string): number => [...text].length

/** At most so many characters, cut after a word, with `…` where there is more. */
export function cutAtWord(text: string, most: number): string {
  const all = [...text]
  if (all.length <= most) return text
  const cut = all.slice(0, most - 1).join('')
  const space = cut.lastIndexOf(' ')
  const words = space > cut.length / 2 ? cut.slice(0, space) : cut
  return `${words.replace(/[\s,;:–—-]$/u, '')}…`
}

/** What a text may link to: nothing but pages that Galley fetched. */
export interface Citations {
  /** The address for what a model wrote as the target of a link, an id or the address itself; once for each source. */
  cite(target: string): string | undefined
  /** What stands for an id alone, amid the text: the name of the site. */
  nameOf(id: string): string | undefined
  /** Whether an address may stand in the text: a page that was read, or one that the client wrote. */
  mayShow(url: string): boolean
}

/** The citations of one part of a document: a page is linked once in it. */
export function createCitations(sources: readonly Source[], prompt: string): Citations {
  const byName = new Map(sources.flatMap((source) => [source.id, source.url].map((name) => [name, source])))
  const cited = new Set<string>()
  return {
    cite: (target) => {
      const name = target.trim()
      const source = byName.get(name) ?? byName.get(name.toLowerCase())
      if (source === undefined || cited.has(source.id) || hostName(source.url) === undefined) return undefined
      cited.add(source.id)
      return source.url
    },
    nameOf: (id) => {
      const source = byName.get(id)
      return source && hostName(source.url)
    },
    mayShow: (url) => byName.has(url) || prompt.includes(url),
  }
}

/** `example.org`; undefined of what is no address of the web. */
function hostName(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' || protocol === 'https:' ? hostname.replace(/^www\./, '') : undefined
}
