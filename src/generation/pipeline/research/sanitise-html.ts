import { Tokenizer } from 'htmlparser2'

/** Elements inside each other. What is deeper keeps its text: a parser that recurses would otherwise overflow its stack. */
const DEEPEST = 100
/** Elements of a page that is read; real articles have some hundreds, and their pages some thousands. */
const MOST_ELEMENTS = 8_000
/** Characters of what is handed on. */
const MOST_CHARACTERS = 600_000
/** Of one value. */
const LONGEST_VALUE = 500

const empty = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))
/** What a reader does not see, or cannot read. A script of `application/ld+json` is data: when the page was published. */
const unread = new Set(
  'script style noscript template svg math iframe object embed canvas audio video picture form select button dialog textarea input link base'.split(
    ' ',
  ),
)
/** What tells an article from what is around it. */
const kept = new Set(
  'class content datetime dir href id itemprop lang name property rel role type'.split(' '),
)
/** Ways of a style to show nothing; spaces are taken out before. */
const hiding =
  /display:none|visibility:hidden|opacity:0(?![.\d])|font-size:0(?![.\d])|(?:left|top|text-indent):-\d{3}|clip:rect\(0|color:transparent/

/** What every page has, and what is in its head, is put in its place again: a parser takes whatever is first for the root. */
const frame = new Set('html head body frameset'.split(' '))

interface Open {
  name: string
  /** Whether its tag is written; of what is too deep only the text is. */
  written: boolean
  hidden: boolean
}

/**
 * A page with every element closed, none too deep, and without what its readers do not see: programs, comments, hidden
 * elements, where instructions for machines are put. In time that grows with the page alone, whatever is in it.
 */
export function sanitiseHtml(html: string): string {
  const head: string[] = []
  const body: string[] = []
  let out = body
  const open: Open[] = []
  const standing = new Map<string, number>()
  let length = 0
  let elements = 0
  /** How many of the open elements hide what is in them, and how many are written. */
  let hidden = 0
  let depth = 0
  let name = ''
  let attributes = new Map<string, string>()
  let attribute = ''
  let value = ''

  const write = (text: string) => {
    out.push(text)
    length += text.length
    if (length >= MOST_CHARACTERS) tokenizer.pause()
  }
  const close = () => {
    const last = open.pop()
    if (last === undefined) return
    standing.set(last.name, (standing.get(last.name) ?? 1) - 1)
    if (last.hidden) hidden -= 1
    if (!last.written) return
    depth -= 1
    out.push(`</${last.name}>`)
    if (inHead(last.name)) out = body
  }
  const begin = () => {
    if (/^[a-z][a-z0-9-]{0,30}$/.test(name) === false) return
    const isEmpty = empty.has(name)
    const isData = name === 'script' && attributes.get('type') === 'application/ld+json'
    const isHidden = (unread.has(name) && !isData) || isHiddenBy(attributes)
    const isSeen = hidden === 0 && !isHidden && !frame.has(name)
    const written = isSeen && depth < DEEPEST && elements < MOST_ELEMENTS
    if (written) {
      elements += 1
      if (inHead(name)) out = head
      write(
        `<${name}${[...attributes]
          .filter(([key]) => kept.has(key))
          .map(attributeText)
          .join('')}>`,
      )
    }
    if (isEmpty) {
      if (name === 'meta') out = body
      return
    }
    open.push({ name, written, hidden: isHidden })
    standing.set(name, (standing.get(name) ?? 0) + 1)
    if (isHidden) hidden += 1
    if (written) depth += 1
  }
  const text = (said: string) => {
    if (hidden > 0 || said === '') return
    write(open.at(-1)?.name === 'script' ? said.replaceAll('<', '\\u003c') : escaped(said))
  }
  const nothing = () => {}
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname: (start, end) => {
        name = html.slice(start, Math.min(end, start + 40)).toLowerCase()
        attributes = new Map()
      },
      onattribname: (start, end) => {
        attribute = html.slice(start, Math.min(end, start + 40)).toLowerCase()
        value = ''
      },
      onattribdata: (start, end) => {
        if (value.length < LONGEST_VALUE) value += html.slice(start, Math.min(end, start + LONGEST_VALUE))
      },
      onattribentity: (codePoint) => {
        if (value.length < LONGEST_VALUE) value += String.fromCodePoint(codePoint)
      },
      onattribend: () => {
        if (attributes.size < 40 && !attributes.has(attribute)) attributes.set(attribute, value)
      },
      onopentagend: begin,
      // As browsers read it: the slash says nothing.
      onselfclosingtag: begin,
      onclosetag: (start, end) => {
        const closed = html.slice(start, Math.min(end, start + 40)).toLowerCase()
        if ((standing.get(closed) ?? 0) === 0) return
        for (let last = open.at(-1)?.name; last !== undefined; last = open.at(-1)?.name) {
          close()
          if (last === closed) return
        }
      },
      ontext: (start, end) => text(html.slice(start, end)),
      ontextentity: (codePoint) => text(String.fromCodePoint(codePoint)),
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  while (open.length > 0) close()
  return `<!doctype html><html><head>${head.join('')}</head><body>${body.join('')}</body></html>`
}

const inHead = (name: string): boolean => name === 'title' || name === 'meta' || name === 'script'

const isHiddenBy = (attributes: ReadonlyMap<string, string>): boolean =>
  attributes.has('hidden') ||
  attributes.get('aria-hidden') === 'true' ||
  hiding.test((attributes.get('style') ?? '').toLowerCase().replace(/\s/g, ''))

const attributeText = ([name, value]: [string, string]): string => ` ${name}="${escaped(value)}"`

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
