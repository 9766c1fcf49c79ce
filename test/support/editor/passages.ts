/**
 * What a page says beside its words: in which heading, item, cell or caption they stand, how they are set off, and
 * where they lead. One line a passage, `ol from 5 item 1 > ul item 2: plain<bold>loud`, white space left out.
 */
export const shownPassages = (root: Element): string[] => {
  const lines: string[] = []
  readBlock(root, '', lines)
  return lines
}

/** A passage by its runs of one format each; the empty array where there is nothing to read. */
export function passage(place: string, runs: readonly Run[]): string[] {
  let text = ''
  let before = ''
  for (const run of runs) {
    const words = run.text.replace(/\s+/gu, '')
    if (words === '') continue
    const format = [...run.formats].sort().join(' ')
    text += (format === before ? '' : `<${format}>`) + words
    before = format
  }
  return text === '' ? [] : [`${place}: ${text}`]
}

export interface Run {
  text: string
  formats: readonly string[]
}

/** A link's or a file's address by what no way of writing it changes. */
export function addressKey(address: string): string {
  const url = new URL(address, 'https://page.invalid/')
  return url.href.replace(/%[\da-f]{2}/gi, '').replace(/[^a-z\d]/gi, '')
}

export const linkFormat = (address: string, title: string): string =>
  `link ${addressKey(address)} ${attributeText(title)}`

/** Text of an attribute, without what parts a bracket from a shortcode's name. */
const attributeText = (value: string): string => value.replaceAll('[\u2060', '[').replace(/\s+/gu, '')

const formatNames: Readonly<Record<string, string>> = {
  STRONG: 'bold',
  EM: 'italic',
  CODE: 'code',
  S: 'strike',
  SPAN: 'underline',
  SUP: 'superscript',
  SUB: 'subscript',
  MARK: 'highlight',
  KBD: 'keyboard',
}

function readBlock(element: Element, place: string, lines: string[]): void {
  for (const child of element.children) {
    const name = child.tagName
    if (/^H[1-6]$/.test(name)) lines.push(...passage(heading(child), runsOf(child)))
    else if (name === 'P') lines.push(...passage(place === '' ? 'paragraph' : place, runsOf(child)))
    else if (name === 'CITE') lines.push(...passage('citation', runsOf(child)))
    else if (name === 'FIGCAPTION') lines.push(...passage('caption', runsOf(child)))
    else if (name === 'PRE') lines.push(code(child))
    else if (name === 'IMG') lines.push(picture(child))
    else if (name === 'AUDIO') lines.push(`sound: ${addressKey(child.getAttribute('src') ?? '')}`)
    else if (name === 'UL' || name === 'OL') readList(child, place, lines)
    else if (name === 'TABLE') readTable(child, lines)
    else readBlock(child, name === 'BLOCKQUOTE' ? 'quote' : place, lines)
    // a classic citation, picture or player stands in a paragraph of its own
    if (name === 'P') readBlock(child, place, lines)
  }
}

const heading = (element: Element): string => `${element.tagName.toLowerCase()} ${letters(element.id)}`

export const letters = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '')

function code(element: Element): string {
  const classes = `${element.className} ${element.firstElementChild?.className ?? ''}`
  return codePassage(/language-(\S+)/.exec(classes)?.[1] ?? '', element.textContent ?? '')
}

export const codePassage = (language: string, value: string): string =>
  `code ${letters(language).toLowerCase()}: ${JSON.stringify(value)}`

function picture(element: Element): string {
  const [source, alt, title] = ['src', 'alt', 'title'].map((name) => element.getAttribute(name) ?? '')
  return picturePassage(
    source ?? '',
    alt ?? '',
    title ?? '',
    element.parentElement?.getAttribute('href') ?? '',
  )
}

export const picturePassage = (source: string, alt: string, title: string, href: string): string =>
  `picture ${addressKey(source)}: ${[alt, title].map(attributeText).join(' / ')} ${href && addressKey(href)}`

function readList(list: Element, place: string, lines: string[]): void {
  const start = list.getAttribute('start')
  const name = `${place}${list.tagName.toLowerCase()}${start === null ? '' : ` from ${start}`}`
  for (const [index, item] of [...list.children].entries()) {
    const own = `${name} item ${index + 1}`
    lines.push(...passage(own, runsOf(item)))
    for (const inner of item.children) if (isList(inner)) readList(inner, `${own} > `, lines)
  }
}

const isList = ({ tagName }: Element): boolean => tagName === 'UL' || tagName === 'OL'

function readTable(table: Element, lines: string[]): void {
  for (const [row, { children }] of [...table.getElementsByTagName('tr')].entries())
    for (const [column, cell] of [...children].entries())
      lines.push(...passage(`${cell.tagName.toLowerCase()} ${row + 1} ${column + 1}`, runsOf(cell)))
}

/** The text of one element with its formats; lists and citations inside it are passages of their own. */
function runsOf(element: Element, formats: readonly string[] = []): Run[] {
  return [...element.childNodes].flatMap((node) => {
    if (node.nodeType === node.TEXT_NODE) return { text: node.nodeValue ?? '', formats }
    const child = node as Element
    if (node.nodeType !== node.ELEMENT_NODE || isList(child) || child.tagName === 'CITE') return []
    if (child.tagName === 'A') {
      const [href, title] = ['href', 'title'].map((name) => child.getAttribute(name) ?? '')
      return runsOf(child, [...formats, linkFormat(href ?? '', title ?? '')])
    }
    const format = formatNames[child.tagName]
    return runsOf(child, format === undefined ? formats : [...new Set([...formats, format])])
  })
}

/** Elements whose edges part words: a reader sees a line or a cell begin there. */
const partsWords = new Set(
  'P H1 H2 H3 H4 H5 H6 UL OL LI TABLE CAPTION THEAD TBODY TR TH TD FIGURE FIGCAPTION PRE BLOCKQUOTE CITE BR DIV HR DETAILS SUMMARY'.split(
    ' ',
  ),
)
const notShown = new Set(['SCRIPT', 'STYLE', 'TEMPLATE'])

/** The words a reader sees under `root`, in reading order. */
export const visibleWords = (root: Node): string[] =>
  shownText(root)
    .split(/\s+/u)
    .filter((word) => word !== '')

function shownText(node: Node): string {
  if (node.nodeType === node.TEXT_NODE) return node.nodeValue ?? ''
  if (notShown.has(node.nodeName)) return ''
  // What a formula says is its source, which stands beside what is shown of it.
  if (node.nodeName === 'math') return (node as Element).querySelector('annotation')?.textContent ?? ''
  let text = ''
  for (let child = node.firstChild; child !== null; child = child.nextSibling) text += shownText(child)
  return partsWords.has(node.nodeName) ? ` ${text} ` : text
}
