import type { Token } from 'markdown-it'
import type { WireInline } from '../../../contract/generation/results.ts'
import type { Source } from '../types.ts'
import { markdown } from './markdown.ts'

/** Tags that models write out of habit, and the mark of each; those of no mark are left out. */
const tag =
  /<\/?(p|br|b|strong|i|em|u|a|span|div|code|cite|sup|sub|ul|ol|li|h[1-6]|blockquote|mark|kbd|small|del|ins|s|font|abbr|q|section|details|summary)( [^<>]{0,500})?\/?>/gi
const markOf: Readonly<Record<string, string>> = { b: '**', strong: '**', i: '*', em: '*', code: '`' }
const dividing = /^(p|br|div|ul|ol|li|h[1-6]|blockquote|section|details|summary)$/i

const emptyTag = /<(?:b|strong|i|em|code)>\s?<\/(?:b|strong|i|em|code)>/gi

/** What other programs understand, and no reader: marks of notes, and of sources that only their maker knows. */
const leftovers =
  /\[\^[^\][\n]{1,60}\]|【[^【】\n]{0,60}†[^【】\n]{0,60}】|<!--[^<>]{0,2000}-->|<img\s[^<>]{0,1000}>/gi

/** Words and the number of an address that a model put elsewhere: `[words][1]`, `[words][]`. */
const referred = /(^|[^\p{L}\p{N}_\]])!?\[([^\][\n]+)\]\[([^\][\n]{0,60})\]/gu

/** Ids alone, also as they are not asked for: `[s1, s2]`, `[S1]`, `(s1)`, `[source: s1]`, `【s1】`. */
const citedIds =
  / ?([[(【]) ?((?:sources?|citation|ref)[: ] ?)?(s\d{1,4}(?:[,;] ?s\d{1,4}){0,9}) ?[\])】](?!\()/gi

/** Numbers of notes that there are not, behind a word or a sentence; `[0, 1]` is an interval, and `a[1] ` an element. */
const numbers =
  /(?:(^|[\s.!?…"”»)])\[[1-9]\d?\](?:\s?\[[1-9]\d?\])*(?=[\s.,;:!?)]|$))|(\p{L})(?:\[[1-9]\d?\])+(?=[.,;!?]|$)/gu

const doubled = /\[\[([^\][\n]*)\]\]\(/g

/** A space before the mark that ends bold words: it belongs behind it. */
const looselyBold = /(^|[\s(])\*\*([^\s*][^*\n]*)\s\*\*/g

const highlighted = /(^|[\s(])==([^\s=][^=\n]*)==(?![=\w])/g

/** A name of programs, and no bold word. */
const dunder = /(^|[^\w\\])__(\w+)__(?!\w)/g

const address = /https?:\/\/[^\s<>"'()[\]]+/gi

const markTypes: Readonly<Record<string, 'bold' | 'italic' | 'link'>> = {
  strong_open: 'bold',
  em_open: 'italic',
  link_open: 'link',
}

/** The words and marks of a text, in one line. A mark within another stands for the outer one. */
export function parseInlines(text: string, citations: Citations): WireInline[] {
  const line = cleanLine(readableMarks(cleanLine(text), citations))
  const tokens = markdown.parseInline(line, {})[0]?.children ?? []
  const inlines: WireInline[] = []
  let open: Token | undefined
  let words = ''
  for (const token of tokens) {
    if (open !== undefined && token.nesting === -1 && token.level === open.level) {
      inlines.push(marked(open, words, citations))
      open = undefined
    } else if (open === undefined && token.type in markTypes) {
      open = token
      words = ''
    } else if (open !== undefined) words += wordsOf(token, citations)
    else if (token.type === 'code_inline') inlines.push({ type: 'code', text: token.content })
    else inlines.push({ type: 'text', text: wordsOf(token, citations) })
  }
  return joined(inlines)
}

export const plainText = (text: string, citations: Citations): string =>
  parseInlines(text, { ...citations, cite: () => undefined })
    .map((inline) => inline.text)
    .join('')
    .trim()

const wordsOf = ({ type, content }: Token, citations: Citations): string =>
  type.endsWith('break') ? ' ' : shown(content, citations)

function marked(open: Token, words: string, citations: Citations): WireInline {
  const type = markTypes[open.type] ?? 'bold'
  if (type !== 'link') return { type, text: words }
  const url = words.trim() === '' ? undefined : citations.cite(String(open.attrGet('href')))
  // Nothing to click on, or the number of a note that leads nowhere.
  if (url === undefined && /^(\s*|\d{1,2})$/.test(words)) return { type: 'text', text: '' }
  return url === undefined ? { type: 'text', text: words } : { type, text: words, url }
}

/** Addresses that nobody gave as the names of their sites. */
const shown = (text: string, citations: Citations): string =>
  text.replace(address, (found) => {
    if (citations.mayShow(found)) return found
    // The full stop behind it is the sentence's.
    let end = found.length
    while ('.,;:!?'.includes(found.charAt(end - 1))) end -= 1
    const url = found.slice(0, end)
    return `${citations.mayShow(url) ? url : (hostName(url) ?? '')}${found.slice(end)}`
  })

/** As Markdown has it: tags and ids become marks and links, and what no reader understands is left out. */
const readableMarks = (text: string, citations: Citations): string =>
  outsideCode(text, (piece) =>
    piece
      .replace(emptyTag, '')
      .replace(tag, (_, name: string) => markOf[name.toLowerCase()] ?? (dividing.test(name) ? ' ' : ''))
      .replace(leftovers, '')
      .replace(doubled, '[$1](')
      .replace(referred, (found, before: string, words: string, target: string) =>
        /^s\d{1,4}$/.test(words) || !/\p{L}/u.test(words)
          ? found
          : `${before}${/^s\d{1,4}$/.test(target) ? `[${words}](${target})` : words}`,
      )
      .replace(
        citedIds,
        (found, bracket: string, told: string | undefined, ids: string, at: number, whole: string) => {
          // The second half of `[words][s1]`.
          if (whole.charAt(at - 1) === ']' && !found.startsWith(' ')) return found
          // `(S7)` is a name.
          if (bracket === '(' && told === undefined && !ids.startsWith('s')) return found
          const links = ids
            .toLowerCase()
            .split(/[,;] ?/)
            .flatMap((id) => (citations.nameOf(id) === undefined ? [] : [`[${citations.nameOf(id)}](${id})`]))
          if (links.length === 0) return found.trim().startsWith('[s') ? '' : found
          const isSpaced = at === 0 || /[([]/.test(whole.charAt(at - 1))
          return `${isSpaced ? '' : ' '}${links.join(' ')}`
        },
      )
      .replace(numbers, (_, before = '', letter = '') => `${before.trim()}${letter}`)
      .replace(highlighted, '$1$2')
      .replace(dunder, '$1\\_\\_$2\\_\\_')
      .replace(looselyBold, (_, before: string, words: string) => `${before}**${words.trimEnd()}** `),
  )

const outsideCode = (text: string, change: (piece: string) => string): string =>
  text
    .split('`')
    .map((piece, index) => (index % 2 === 1 ? piece : change(piece)))
    .join('`')

function joined(inlines: readonly WireInline[]): WireInline[] {
  const all: WireInline[] = []
  for (const [at, inline] of inlines.entries()) {
    const last = all.at(-1)
    // Where nothing stands in the place of a citation, its space goes too.
    if (inline.text === '' && last?.type === 'text' && /^[\s.,;:!?)]/.test(inlines[at + 1]?.text ?? ''))
      last.text = last.text.trimEnd()
    if (inline.text === '') continue
    if (last?.type === 'text' && inline.type === 'text')
      last.text = `${last.text}${inline.text}`.replace(/\s+/g, ' ')
    else all.push({ ...inline })
  }
  return all
}

/** Control characters but the line break, halves of characters, what is none, and marks that turn the reading order over. */
const forbiddenCharacters = /(?!\n)\p{Cc}|[\p{Surrogate}\ufeff\ufffc\ufffe\uffff\u202a-\u202e]/gu

export const cleanText = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replaceAll('\t', '  ').replace(forbiddenCharacters, '').normalize('NFC')

export const cleanLine = (text: string): string => cleanText(text).replace(/\s+/g, ' ').trim()

export const hasText = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** With a full stop where it has no mark at its end, as headings and items of lists have none. */
export function withFullStop(line: string): string {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(line)) return `${line}。`
  return /[\p{L}\p{M}\p{N}%)\]]$/u.test(line) ? `${line}.` : line
}

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
