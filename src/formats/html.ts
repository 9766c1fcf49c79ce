import { type ChildNode, type Element, isComment, isTag, isText } from 'domhandler'
import { DomUtils } from 'htmlparser2'
import { byName } from '../blocks/wire.ts'
import { percentDecoded } from '../contract/payload.ts'
import { excerpt } from '../lib/text.ts'
import { flatten, type WireBlock } from './foreign.ts'
import { type ForeignDocument, type FormatAdapter, FormatWarnings } from './format.ts'
import {
  around,
  findElement,
  findNamed,
  formatByClasses,
  isBlock,
  isEmoji,
  isSmall,
  latexOf,
  numberOf,
  parseHtml,
  styleOf,
  textOf,
} from './html/dom.ts'
import { pictureAddress, readElement, warnOfSource } from './html/elements.ts'
import { findFootnotes } from './html/footnotes.ts'
import { isList, listBlock, looseItems, looseLists } from './html/lists.ts'
import { isSilent, warnOfComment, warnOfText } from './html/losses.ts'
import {
  BREAK,
  type Leaf,
  type Mark,
  paragraphsOf,
  type RunningText,
  simplified,
  toRunning,
  withMark,
} from './html/running-text.ts'
import { shortcodesToHtml } from './html/shortcodes.ts'

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
  const nodes = parseHtml(shortcodesToHtml(markup))
  formatByClasses(nodes)
  const reader = new HtmlReader(nodes, warnings)
  const head = findNamed(nodes, 'head')[0]?.children ?? []
  const title = findNamed(head, 'title')[0]
  const isDescription = ({ name, attribs }: Element) => name === 'meta' && attribs.name === 'description'
  const description = findElement(head, isDescription)?.attribs.content
  return {
    meta: { ...(title && { title: textOf(title) }), ...(description && { description }) },
    content: reader.blocks(nodes, { marks: [] }),
    warnings: warnings.list,
  }
}

/** Whether a text stands where the classic editor has its paragraphs, which are no elements. */
const isLoose = (node: ChildNode): boolean => /^(?:body|blockquote)$/.test(around(node)?.name ?? 'body')

const filesIn = (nodes: readonly ChildNode[]): Element[] => findNamed(nodes, 'img', 'iframe')

/** Whether there is text in an element. Ends at the first, as links may stand in each other. */
const hasWords = ({ children }: Element): boolean =>
  DomUtils.find((node) => isText(node) && node.data.trim() !== '', children, true, 1).length > 0

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

export class HtmlReader {
  readonly warnings: FormatWarnings
  /** Elements other than blocks that have a block in them. */
  readonly #holders = new Set<Element>()
  readonly #footnotes: ReturnType<typeof findFootnotes>
  /** The places of the document that its links lead to. */
  readonly linkedAnchors: ReadonlySet<string>
  readonly #linkedByWords: ReadonlySet<string | undefined>
  /** The words of each note, which many references may have. */
  readonly #notes = new Map<Element, RunningText>()
  /** Notes that are being read: one may refer to itself. */
  readonly #openNotes = new Set<Element>()
  /** Pictures and frames that are loaded late, and stand in a `noscript` once more. */
  readonly #loaded: ReadonlySet<string | undefined>
  /** Old editors of WordPress write blank lines instead of `<p>`. */
  readonly #blankLinesSeparate: boolean

  constructor(nodes: ChildNode[], warnings: FormatWarnings) {
    this.warnings = warnings
    this.#footnotes = findFootnotes(nodes)
    const links = findNamed(nodes, 'a')
    const addresses = links.map(({ attribs: { href = '' } }) => href.trim())
    this.#linkedByWords = new Set(links.filter(hasWords).map(({ attribs }) => attribs.href))
    this.linkedAnchors = new Set(
      addresses.flatMap((href) => (href.startsWith('#') ? percentDecoded(href.slice(1)) : [])),
    )
    const instead = new Set(findNamed(nodes, 'noscript').flatMap(({ children }) => filesIn(children)))
    this.#loaded = new Set(filesIn(nodes).flatMap((file) => (instead.has(file) ? [] : pictureAddress(file))))
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
      } else if (isText(node) && (this.#blankLinesSeparate || isLoose(node))) {
        for (const [part, text] of node.data.split(/\n[ \t\r]*\n/).entries()) {
          if (part > 0) flush()
          run.push(this.#text(text, context))
        }
      } else this.#appendLeaves(node, context, run)
    }
    flush()
    return blocks
  }

  /** As one running text, a line for each block; what is no text stands in `others`. */
  running(nodes: readonly ChildNode[], context: Context): { running: RunningText; others: WireBlock[] } {
    const { text, others } = flatten(this.blocks(nodes, context))
    return { running: simplified(text), others }
  }

  /** As running text, whatever the elements are. */
  leaves(nodes: readonly ChildNode[], context: Context): Leaf[] {
    const run: Leaf[] = []
    for (const node of nodes) this.#appendLeaves(node, context, run)
    return run
  }

  /** Whether an element is read elsewhere, or not at all. */
  #isSilent(element: Element): boolean {
    if (this.#footnotes.silent.has(element)) return true
    const files = element.name === 'noscript' && textOf(element) === '' ? filesIn(element.children) : []
    return files.length > 0
      ? files.every((file) => this.#loaded.has(pictureAddress(file)))
      : isSilent(element, this.warnings)
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
    const { marks } = context
    if (isText(node)) run.push(this.#text(node.data, context))
    else if (isComment(node)) warnOfComment(node.data, this.warnings)
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

  #text(text: string, { marks, verbatim }: Context): Leaf {
    if (!verbatim && !marks.some(({ type }) => type === 'code')) warnOfText(text, this.warnings)
    return { text, marks, ...(verbatim && { verbatim }) }
  }

  /** What an element is in running text, where that is more than a format. */
  #item(element: Element, { marks }: Context): Leaf[] | undefined {
    const { name, attribs } = element
    const note = this.#footnotes.texts.get(element)
    if (note !== undefined && /#cmnt\d+$/.test(attribs.href ?? '')) {
      this.warnings.note(`A comment of an editor is left out: “${excerpt(textOf(note), 80)}”.`)
      return []
    }
    if (note !== undefined) return this.#footnote(note, attribs.href ?? '', marks)
    if (name === 'br') return [BREAK]
    if (name === 'rt') return [{ text: `(${textOf(element)})`, marks }]
    warnOfSource(element, this.warnings)
    if (name === 'q')
      return [{ text: '“', marks }, ...this.leaves(element.children, { marks }), { text: '”', marks }]
    if (name === 'abbr' && attribs.title)
      this.warnings.leftOut(
        `What “${excerpt(textOf(element), 40)}” stands for is left out: “${excerpt(attribs.title, 80)}”.`,
      )
    if (isEmoji(element)) return [{ text: attribs.alt ?? '', marks }]
    const latex = latexOf(element)
    if (latex !== undefined) return [{ marks, item: { type: 'math', latex } }]
    const url = isSmall(element) ? pictureAddress(element) : undefined
    if (url === undefined) return undefined
    const picture = { url, alt: (attribs.alt ?? '').trim(), width: numberOf(element, 'width') }
    return [{ marks, item: { type: 'inline_image', ...picture } }]
  }

  #footnote(note: Element, href: string, marks: readonly Mark[]): Leaf[] {
    if (this.#openNotes.has(note)) return []
    this.#openNotes.add(note)
    const running = this.#notes.get(note) ?? this.running(note.children, { marks: [] }).running
    this.#notes.set(note, running)
    this.#openNotes.delete(note)
    const around = marks.filter(({ type }) => type !== 'superscript')
    return [{ marks: around, item: { type: 'footnote', id: href.replace(/^.*#/, ''), text: running } }]
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
    if (isEmpty && !/^(?:#|$)/.test(href) && !this.#linkedByWords.has(href))
      this.warnings.leftOut(`A link without words is left out: ${excerpt(href, 200)}.`)
  }
}

/** Google Docs leads its links through a page of its own. */
function linkTarget(href: string): string {
  const [, query] = /^https?:\/\/www\.google\.com\/url\?(.*)$/.exec(href) ?? []
  return (query && new URLSearchParams(query).get('q')) ?? href
}
