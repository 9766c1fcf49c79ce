import { unzipSync } from 'fflate'
import { JSDOM } from 'jsdom'

/** What a reader finds in a document: its words in reading order, and where its links and pictures lead. */
export interface Counted {
  words: string[]
  links: string[]
  pictures: string[]
}

const SILENT = new Set('SCRIPT STYLE TEMPLATE HEAD TITLE META LINK RP'.split(' '))
const INLINE = new Set(
  'A ABBR B BDI BDO BIG CITE CODE DEL DFN EM FONT I INS KBD LABEL MARK Q S SAMP SMALL SPAN STRIKE STRONG SUB SUP TIME TT U VAR WBR'.split(
    ' ',
  ),
)

// One window for all documents: making one costs more than parsing.
const { DOMParser } = new JSDOM().window

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** Counted by another parser than the one that is tested, jsdom. */
export function countHtml(markup: string): Counted {
  const document = new DOMParser().parseFromString(markup, 'text/html')
  // The numbers of footnotes, and the arrows back.
  for (const sign of document.querySelectorAll('.footnote-ref, .footnote-back')) sign.remove()
  const text = (node: Node): string => {
    if (node.nodeType === 3) return node.nodeValue ?? ''
    if (node.nodeType !== 1 || SILENT.has(node.nodeName)) return ''
    const inner = [...node.childNodes].map(text).join('')
    return INLINE.has(node.nodeName) ? inner : ` ${inner} `
  }
  const attributes = (selector: string, name: string) =>
    [...document.querySelectorAll(selector)].map((element) => element.getAttribute(name)?.trim() ?? '')
  return {
    words: wordsOf(text(document.body)),
    links: attributes('a[href]', 'href').filter((href) => href !== '' && !href.startsWith('#')),
    pictures: attributes('img', 'src').filter((src) => src !== ''),
  }
}

const parseXml = (bytes: Uint8Array) =>
  new DOMParser().parseFromString(Buffer.from(bytes).toString(), 'text/xml')

const TEXT = new Set(['w:t', 'w:br', 'w:tab', 'w:cr'])

/** Counted in the XML of its parts. Fields, and what was deleted, are no text. */
export function countDocx(bytes: Uint8Array): Counted {
  const files = unzipSync(bytes, { filter: () => true })
  const parts = Object.keys(files).filter((name) =>
    /^word\/(?:document\d*|footnotes|endnotes)\.xml$/.test(name),
  )
  const counted: Counted = { words: [], links: [], pictures: [] }
  for (const part of parts) {
    const document = parseXml(files[part] as Uint8Array)
    // The same again, for programs that know no text boxes.
    for (const fallback of [...document.getElementsByTagName('mc:Fallback')]) fallback.remove()
    for (const paragraph of document.getElementsByTagName('w:p')) {
      const parts = [...paragraph.getElementsByTagName('*')].filter(({ tagName }) => TEXT.has(tagName))
      const text = parts.map(({ tagName, textContent }) => (tagName === 'w:t' ? textContent : ' ')).join('')
      // Those of a text box are paragraphs of their own.
      if (paragraph.getElementsByTagName('w:p').length === 0) counted.words.push(...wordsOf(text))
    }
    const relations = files[part.replace(/([^/]+)$/, '_rels/$1.rels')]
    if (relations === undefined) continue
    const rels = parseXml(relations)
    const targets = new Map(
      [...rels.getElementsByTagName('Relationship')].map((one) => [
        one.getAttribute('Id'),
        one.getAttribute('Target') ?? '',
      ]),
    )
    for (const link of document.getElementsByTagName('w:hyperlink'))
      if (link.hasAttribute('r:id')) counted.links.push(targets.get(link.getAttribute('r:id')) ?? '')
    for (const picture of document.getElementsByTagName('a:blip'))
      counted.pictures.push(
        targets.get(picture.getAttribute('r:embed') ?? picture.getAttribute('r:link')) ?? '',
      )
  }
  return counted
}

type Wire = Record<string, unknown>

/** What is in the JSON of a document that a format was turned into. */
export function countBlocks(content: readonly unknown[]): Counted {
  const links: string[] = []
  const pictures: string[] = []
  const running = (value: unknown): string => {
    if (typeof value === 'string') return value
    if (Array.isArray(value)) return value.map(running).join('')
    const { type, url, text, latex } = value as Wire
    if (type === 'inline_image') {
      pictures.push(url as string)
      return ''
    }
    if (typeof url === 'string') links.push(url)
    if (type === 'break') return ' '
    if (type === 'footnote') return ` ${running(text)} `
    return running(text ?? latex)
  }
  const apart = (values: readonly unknown[], text: (value: never) => string): string =>
    values.map((value) => ` ${text(value as never)} `).join(' ')
  const cell = (value: Wire | string | unknown[]): string =>
    typeof value === 'object' && 'content' in value ? running(value.content) : running(value)
  const item = (value: Wire): string =>
    [
      running(value.text),
      apart((value.items as []) ?? [], item),
      apart((value.blocks as []) ?? [], block),
    ].join(' ')
  const blocks = (values: readonly unknown[]): string => apart(values, block)
  const members: Record<string, (value: never, type: unknown) => string> = {
    text: running,
    value: running,
    latex: running,
    caption: running,
    citation: running,
    summary: running,
    title: (value, type) => (type === 'callout' ? value : ''),
    content: (value, type) =>
      /^(?:quote|details|callout)$/.test(String(type)) ? blocks(value) : running(value),
    blocks,
    images: blocks,
    columns: (value) => apart(value, blocks as never),
    buttons: (value) => apart(value, running),
    headers: (value) => apart(value, cell),
    footer: (value) => apart(value, cell),
    rows: (value: unknown[][]) => value.map((row) => apart(row, cell)).join(' '),
    items: (value) => apart(value, item),
    kind: (value: string) => value.toUpperCase(),
    link: (value) => String(links.push(value) && ''),
    url: (value, type) => String((type === 'image' ? pictures : links).push(value) && ''),
  }
  const block = (value: Wire): string =>
    Object.entries(value)
      .map(([name, member]) => members[name]?.(member as never, value.type) ?? '')
      .join(' ')
  return { words: wordsOf(blocks(content)), links, pictures }
}

/** What of `before` is not in `after`, each as often as it is missing. */
export function missing(before: readonly string[], after: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const one of after) left.set(one, (left.get(one) ?? 0) + 1)
  return before.filter((one) => {
    const count = left.get(one) ?? 0
    left.set(one, count - 1)
    return count <= 0
  })
}
