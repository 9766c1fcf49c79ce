import { type ChildNode, type Element, isComment, isTag, isText } from 'domhandler'
import { DomUtils } from 'htmlparser2'
import { byName, isAddress } from '../blocks/wire.ts'
import { excerpt } from '../lib/text.ts'
import { flatten, type WireBlock } from './foreign.ts'
import { type ForeignDocument, type FormatAdapter, FormatWarnings } from './format.ts'
import { findElement, findNamed, hasClass, isBlock, isEmoji, parseHtml, styleOf, textOf } from './html/dom.ts'
import { readElement } from './html/elements.ts'
import { findFootnotes } from './html/footnotes.ts'
import { isList, listBlock, looseItems, looseLists } from './html/lists.ts'
import {
  BREAK,
  type Leaf,
  type Mark,
  paragraphsOf,
  type Running,
  simplified,
  toRunning,
  withMark,
} from './html/running-text.ts'

/** HTML, as pages, editors and word processors write it. */
export const html: FormatAdapter = {
  name: 'html',
  detect: (value) => typeof value === 'string' && startsAsHtml(value),
  read: (value) => readHtml(String(value)),
}

/** Characters of a text that tell its format. */
const MAX_DETECTED = 20_000

/** What stands at the beginning of a line in Markdown only, or a link of Markdown. */
const markdownSigns = /^(?:#{1,6} |[-*+] |\d{1,9}[.)] |```|~~~|> |\|.*\|$)|\]\(\S/m

function startsAsHtml(text: string): boolean {
  const start = text.slice(0, MAX_DETECTED).trimStart()
  if (/^<(?:!doctype|html|body|!--\s*wp:)/i.test(start)) return true
  return /^<[a-z][a-z0-9]*[\s>/]/i.test(start) && !markdownSigns.test(start)
}

/** @throws LimitError `document_too_deep`, `document_too_many_inlines` */
export function readHtml(markup: string): ForeignDocument {
  const warnings = new FormatWarnings()
  const nodes = parseHtml(markup)
  const reader = new HtmlReader(nodes, warnings)
  const head = findNamed(nodes, 'head')[0]?.children ?? []
  const title = findNamed(head, 'title')[0]
  const description = findElement(
    head,
    ({ name, attribs }) => name === 'meta' && attribs.name === 'description',
  )?.attribs.content
  return {
    meta: { ...(title && { title: textOf(title) }), ...(description && { description }) },
    content: reader.blocks(nodes, { marks: [] }),
    warnings: warnings.all(),
  }
}

/** Shown to nobody, or read elsewhere. */
const silentElements = new Set(
  'base head link meta param script source style template title track wbr rp'.split(' '),
)

/** Shown, and not in words that a post can have. */
const lostElements = byName({
  canvas: 'A drawing (canvas)',
  'input textarea': 'A field of a form',
  map: 'The areas of a picture (map)',
  noscript: 'What is shown where scripts do not run (noscript)',
  select: 'A choice of a form',
  svg: 'A drawing (svg)',
})

const formats = byName({
  ...{ 'b strong': 'bold', 'i em cite dfn var': 'italic', 's strike del': 'strike', 'u ins': 'underline' },
  ...{ mark: 'highlight', sup: 'superscript', sub: 'subscript', kbd: 'keyboard', 'code samp tt': 'code' },
})

/** What lies on everything in an element. */
export interface Context {
  readonly marks: readonly Mark[]
  readonly align?: string | undefined
  readonly verbatim?: boolean
}

/** Reads the inside of elements. */
export class HtmlReader {
  readonly warnings: FormatWarnings
  /** Elements other than blocks that have a block in them. */
  readonly #holders = new Set<Element>()
  readonly #footnotes: ReturnType<typeof findFootnotes>
  /** Notes that are being read: one may refer to itself. */
  readonly #openNotes = new Set<Element>()
  /** Old editors of WordPress write blank lines instead of `<p>`. */
  readonly #blankLinesSeparate: boolean

  constructor(nodes: ChildNode[], warnings: FormatWarnings) {
    this.warnings = warnings
    this.#footnotes = findFootnotes(nodes)
    const blocks = DomUtils.findAll(isBlock, nodes)
    this.#blankLinesSeparate = !blocks.some(({ name }) => name === 'p')
    for (const { parent } of blocks)
      for (let at = parent; at !== null && isTag(at) && !this.#holders.has(at); at = at.parent)
        if (!isBlock(at)) this.#holders.add(at)
  }

  blocks(nodes: readonly ChildNode[], context: Context): WireBlock[] {
    const blocks: WireBlock[] = []
    let run: Leaf[] = []
    const flush = () => {
      for (const paragraph of paragraphsOf(run)) {
        const { align } = context
        blocks.push({ type: 'paragraph', content: toRunning(paragraph), ...(align && { align }) })
      }
      run = []
    }
    for (let index = 0; index < nodes.length; index += 1) {
      const node = nodes[index] as ChildNode
      if (isTag(node) && (isBlock(node) || this.#holders.has(node))) {
        flush()
        const loose = looseItems(nodes, index)
        if (loose === undefined) blocks.push(...this.#element(node, context))
        else {
          blocks.push(...looseLists(loose.items, context, this))
          index = loose.end - 1
        }
      } else if (isText(node) && this.#blankLinesSeparate) {
        for (const [part, text] of node.data.split(/\n[ \t\r]*\n/).entries()) {
          if (part > 0) flush()
          run.push({ text, marks: context.marks })
        }
      } else this.#appendLeaves(node, context, run)
    }
    flush()
    return blocks
  }

  /** As one running text, a line for each block; what is no text stands in `others`. */
  running(nodes: readonly ChildNode[], context: Context): { running: Running; others: WireBlock[] } {
    const { text, others } = flatten(this.blocks(nodes, context))
    return { running: simplified(text), others }
  }

  /** As running text, whatever the elements are. */
  leaves(nodes: readonly ChildNode[], context: Context): Leaf[] {
    const run: Leaf[] = []
    for (const node of nodes) this.#appendLeaves(node, context, run)
    return run
  }

  #element(element: Element, context: Context): WireBlock[] {
    if (this.#isSilent(element)) return []
    const latex = latexOf(element)
    if (latex !== undefined) return [{ type: 'math', latex }]
    // A format around blocks lies on all of them.
    const inner = isBlock(element) ? context : { ...context, marks: this.#marks(element, context.marks) }
    if (isList(element)) return listBlock(element, inner, this)
    return readElement(element, inner, this)
  }

  #appendLeaves(node: ChildNode, context: Context, run: Leaf[]): void {
    const { marks, verbatim } = context
    if (isText(node)) run.push({ text: node.data, marks, ...(verbatim && { verbatim }) })
    else if (isComment(node)) this.#comment(node.data)
    if (!isTag(node) || this.#isSilent(node)) return
    const item = this.#item(node, context)
    if (item !== undefined) {
      run.push(...item)
      return
    }
    const start = run.length
    for (const child of node.children)
      this.#appendLeaves(child, { ...context, marks: this.#marks(node, marks) }, run)
    if (node.name === 'a') this.#warnOfEmptyLink(node, run.slice(start))
  }

  /** A comment of the block editor for a block without markup, which WordPress makes when the page is shown. */
  #comment(data: string): void {
    const [, name] = /^\s*wp:(\S+)\s(?:.*\s)?\/$/s.exec(data) ?? []
    if (/^\s*(?:more|nextpage)\b/.test(data))
      this.warnings.changed(
        'The text is not divided: a mark of WordPress for its beginning or its pages is left out.',
      )
    if (name !== undefined && name !== 'more' && name !== 'spacer')
      this.warnings.leftOut(`The block “${excerpt(name, 60)}” has no text of its own and is left out.`)
  }

  #isSilent(element: Element): boolean {
    const { name, attribs } = element
    if (this.#footnotes.silent.has(element)) return true
    const quoted = () => {
      const inside = DomUtils.find(isTag, [element], true, 20) as Element[]
      const attributes = inside.flatMap(({ attribs: { value, alt, href, src } }) => [value, alt, href ?? src])
      const said = [textOf(element), ...attributes].filter(Boolean).join(' ')
      return said === '' ? '' : `: “${excerpt(said, 80)}”`
    }
    if (hasLooks(element)) this.warnings.changed('Colours, sizes and typefaces of letters are not kept.')
    const [, picture] =
      /background[a-z-]{0,9}:[^;()]{0,200}url\(\s?["']?([^"')]+)/i.exec(attribs.style ?? '') ?? []
    const drawn = attribs.role === 'img' && name !== 'img' ? (attribs['aria-label'] ?? '') : ''
    if (picture || drawn)
      this.warnings.leftOut(
        `A picture in the background is left out: ${excerpt([drawn, picture].join(' ').trim(), 200)}.`,
      )
    const address = /[-:]/.test(name) && name !== 'amp-img' && Object.values(attribs).find(isAddress)
    if (address)
      this.warnings.leftOut(
        `“${excerpt(name, 60)}” is not known, and its address is left out: ${excerpt(address, 200)}.`,
      )
    const isHidden = attribs.hidden !== undefined || styleOf(element, 'display') === 'none'
    const lost = lostElements.get(name)
    if (isHidden) this.warnings.note(`Hidden text is left out${quoted()}.`)
    else if (name === 'script' || name === 'style') this.warnings.note(`A ${name} is left out.`)
    else if (lost !== undefined && !(name === 'input' && attribs.type === 'hidden'))
      this.warnings.leftOut(`${lost} is left out${quoted()}.`)
    const isSign = styleOf(element, 'mso-list') === 'ignore'
    return isHidden || lost !== undefined || silentElements.has(name) || isSign
  }

  /** What an element is in running text, where that is more than a format. */
  #item(element: Element, { marks }: Context): Leaf[] | undefined {
    const { name, attribs } = element
    const note = this.#footnotes.texts.get(element)
    if (note !== undefined) return this.#footnote(note, marks)
    if (name === 'br') return [BREAK]
    if (name === 'rt') return [{ text: `(${textOf(element)})`, marks }]
    this.leaveOutSource(element)
    if (name === 'q')
      return [{ text: '“', marks }, ...this.leaves(element.children, { marks }), { text: '”', marks }]
    if (name === 'abbr' && attribs.title)
      this.warnings.leftOut(
        `What “${excerpt(textOf(element), 40)}” stands for is left out: “${excerpt(attribs.title, 80)}”.`,
      )
    if (isEmoji(element)) return [{ text: attribs.alt ?? '', marks }]
    const latex = latexOf(element)
    return latex === undefined ? undefined : [{ marks, item: { type: 'math', latex } }]
  }

  /** The address of a quote, or of a change to a text, which no page shows. */
  leaveOutSource({ attribs: { cite } }: Element): void {
    if (cite) this.warnings.leftOut(`The address of a source is left out: ${excerpt(cite, 200)}.`)
  }

  #footnote(note: Element, marks: readonly Mark[]): Leaf[] {
    if (this.#openNotes.has(note)) return []
    this.#openNotes.add(note)
    const { running } = this.running(note.children, { marks: [] })
    this.#openNotes.delete(note)
    const around = marks.filter(({ type }) => type !== 'superscript')
    return [{ marks: around, item: { type: 'footnote', text: running } }]
  }

  #marks(element: Element, marks: readonly Mark[]): readonly Mark[] {
    if (element.name === 'a') return this.#linkMarks(element, marks)
    const format = formats.get(element.name)
    const weight = styleOf(element, 'font-weight')
    const decoration = styleOf(element, 'text-decoration') + styleOf(element, 'text-decoration-line')
    const shift = styleOf(element, 'vertical-align')
    const isLinked = marks.some(({ type }) => type === 'link')
    const found = [
      // What is pasted from Google Docs stands in a <b> that is not bold.
      format !== undefined && !(format === 'bold' && /^(?:normal|[1-4]00)$/.test(weight)) && format,
      /^(?:bold|bolder|[6-9]00)$/.test(weight) && 'bold',
      styleOf(element, 'font-style') === 'italic' && 'italic',
      decoration.includes('line-through') && 'strike',
      decoration.includes('underline') && !isLinked && 'underline',
      shift === 'super' && 'superscript',
      shift === 'sub' && 'subscript',
    ]
    return found.reduce<readonly Mark[]>((all, type) => (type ? withMark(all, { type }) : all), marks)
  }

  #linkMarks({ attribs: { href = '', title } }: Element, marks: readonly Mark[]): readonly Mark[] {
    const url = linkTarget(href.trim())
    if (url === '') return marks
    if (/^(?:javascript|vbscript|data|file|blob):/i.test(url)) {
      this.warnings.leftOut(`A link to ${excerpt(url, 60)} is left out, and its words are kept.`)
      return marks
    }
    // The underline of a link is no format of its own.
    const others = marks.filter(({ type }) => type !== 'underline')
    return withMark(others, { type: 'link', url, ...(title && { title }) })
  }

  #warnOfEmptyLink({ attribs: { href = '' } }: Element, run: readonly Leaf[]): void {
    const isEmpty = run.every(({ text, item }) => item === undefined && (text ?? '').trim() === '')
    if (isEmpty && !/^(?:#|$)/.test(href))
      this.warnings.leftOut(`A link without words is left out: ${excerpt(href, 200)}.`)
  }
}

/** Whether letters are to look other than black on white. Word processors write those of every text. */
const hasLooks = (element: Element): boolean =>
  /^(?:font|big)$/.test(element.name) ||
  /\bhas-(?:[\w-]*-(?:color|background|font-size)|drop-cap)\b/.test(element.attribs.class ?? '') ||
  ['color', 'background-color', 'background'].some((name) => !usualColours.test(styleOf(element, name)))

const usualColours =
  /^(?:|inherit|initial|transparent|none|currentcolor|auto|black|white|window(?:text)?|#0+|#f+|rgba?\((?:0, ?0, ?0|255, ?255, ?255)\b.*)(?: !important)?$/

/** Google Docs leads its links through a page of its own. */
function linkTarget(href: string): string {
  const [, query] = /^https?:\/\/www\.google\.com\/url\?(.*)$/.exec(href) ?? []
  return (query && new URLSearchParams(query).get('q')) ?? href
}

/** The formula that an element shows, where it has its source beside it, as KaTeX, MathJax and WordPress write it. */
function latexOf(element: Element): string | undefined {
  const { name, attribs } = element
  if (hasClass(element, 'ql-formula')) return attribs['data-value']
  if (name !== 'math' && !/\b(?:katex|katex-display|MathJax)\b/.test(attribs.class ?? '')) return undefined
  const source = findElement(
    element.children,
    (child) => child.name === 'annotation' && /tex/i.test(child.attribs.encoding ?? ''),
  )
  return source && textOf(source)
}
