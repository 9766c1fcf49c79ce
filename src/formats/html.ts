import { type ChildNode, type Element, isComment, isTag, isText } from 'domhandler'
import { DomUtils } from 'htmlparser2'
import { byName, isAddress, setOf } from '../blocks/wire.ts'
import { percentDecoded } from '../contract/payload.ts'
import { excerpt } from '../lib/text.ts'
import { flatten, type WireBlock } from './foreign.ts'
import { type ForeignDocument, type FormatAdapter, FormatWarnings } from './format.ts'
import {
  around,
  findElement,
  findNamed,
  formatByClasses,
  hasClass,
  isBlock,
  isEmoji,
  isFormula,
  isSmall,
  latexOf,
  numberOf,
  parseHtml,
  styleOf,
  textOf,
} from './html/dom.ts'
import { pictureAddress, readElement, readers } from './html/elements.ts'
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
import { shortcodesIn, shortcodesToHtml } from './html/shortcodes.ts'

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
  const description = findElement(
    head,
    ({ name, attribs }) => name === 'meta' && attribs.name === 'description',
  )?.attribs.content
  return {
    meta: { ...(title && { title: textOf(title) }), ...(description && { description }) },
    content: reader.blocks(nodes, { marks: [] }),
    warnings: warnings.list,
  }
}

/** Shown to nobody, or read elsewhere. */
const silentElements = setOf('base head link meta param script source style template title track wbr rp')

/** A drawing beside words that say the same, and not one to look at. */
const isIcon = (element: Element): boolean =>
  element.attribs['aria-hidden'] === 'true' ||
  (numberOf(element, 'width') ?? MAX_ICON + 1) <= MAX_ICON ||
  around(element)?.name === 'button'

/** What reveal.js shows to the speaker alone. */
const isSpeakerNote = (element: Element): boolean =>
  element.name === 'aside' && hasClass(element, 'notes') && around(element)?.name === 'section'

/** Pixels. */
const MAX_ICON = 48

/** Formulas that a script sets where the page is shown. */
const formulasInText = /\\\([^\n]{1,300}?\\\)|\\\[[^\n]{1,300}?\\\]|\$\$[^$\n]{1,300}\$\$/g

/** Signs beside headings that lead to themselves. */
const permalinks = /(?:^|\s)(?:headerlink|header-anchor|hash-link|anchorjs-link)(?:\s|$)/

/** Whether a text stands where the classic editor has its paragraphs, which are no elements. */
const isLoose = (node: ChildNode): boolean => /^(?:body|blockquote)$/.test(around(node)?.name ?? 'body')

const filesIn = (nodes: readonly ChildNode[]): Element[] => findNamed(nodes, 'img', 'iframe')

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
  /** The places of the document that its links lead to. */
  readonly linkedAnchors: ReadonlySet<string>
  readonly #linkedByWords: ReadonlySet<string | undefined>
  /** The words of each note, which many references may have. */
  readonly #notes = new Map<Element, Running>()
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
    this.#linkedByWords = new Set(links.flatMap((link) => (textOf(link) === '' ? [] : link.attribs.href)))
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
    const { marks } = context
    if (isText(node)) run.push(this.#text(node.data, context))
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

  #text(text: string, { marks, verbatim }: Context): Leaf {
    if (!verbatim && !marks.some(({ type }) => type === 'code')) {
      for (const shortcode of shortcodesIn(text))
        this.warnings.leftOut(
          `A shortcode is not run, and appears as plain text: “${excerpt(shortcode, 80)}”.`,
        )
      for (const formula of text.match(formulasInText) ?? [])
        this.warnings.leftOut(`A formula in the text appears as its LaTeX source: “${excerpt(formula, 80)}”.`)
    }
    return { text, marks, ...(verbatim && { verbatim }) }
  }

  /** A comment of the block editor for a block without markup, which WordPress makes when the page is shown. */
  #comment(data: string): void {
    const [, name] = /^\s*wp:(\S+)\s(?:.*\s)?\/$/s.exec(data) ?? []
    if (/^\s*(?:more|nextpage)\b/.test(data))
      this.warnings.changed(
        'The text is not divided: a mark of WordPress for its beginning or its pages is left out.',
      )
    if (/^\s*wp:shortcode\b/.test(data))
      this.warnings.leftOut('A shortcode is not run, and appears as plain text.')
    if (name !== undefined && name !== 'more' && name !== 'spacer')
      this.warnings.leftOut(`The block “${excerpt(name, 60)}” has no text of its own and is left out.`)
  }

  #isSilent(element: Element): boolean {
    const { name, attribs } = element
    if (this.#footnotes.silent.has(element)) return true
    if (name === 'a' && permalinks.test(attribs.class ?? '')) return true
    if (name === 'script' && latexOf(element) !== undefined) return false
    if (name === 'noscript' && textOf(element) === '') {
      const files = filesIn(element.children)
      if (files.length > 0) return files.every((file) => this.#loaded.has(pictureAddress(file)))
    }
    const quoted = () => {
      const inside = DomUtils.find(isTag, [element], true, 20) as Element[]
      const attributes = inside.flatMap(({ attribs: { value, alt, href, src } }) => [value, alt, href ?? src])
      const said = [textOf(element), ...attributes].filter(Boolean).join(' ')
      return said === '' ? '' : `: “${excerpt(said, 80)}”`
    }
    if (hasLooks(element)) this.warnings.changed('Colours, sizes and typefaces of letters are not kept.')
    if (attribs.dir === 'rtl') this.warnings.note('Text from right to left stands as the theme has it.')
    const [, picture] =
      /background[a-z-]{0,9}:[^;()]{0,200}url\(\s?["']?([^"')]+)/i.exec(attribs.style ?? '') ?? []
    const drawn = attribs.role === 'img' && name !== 'img' ? (attribs['aria-label'] ?? '') : ''
    if (picture || drawn)
      this.warnings.leftOut(
        `A picture in the background is left out: ${excerpt([drawn, picture].join(' ').trim(), 200)}.`,
      )
    const address = /[-:]/.test(name) && !readers.has(name) && Object.values(attribs).find(isAddress)
    if (address)
      this.warnings.leftOut(
        `“${excerpt(name, 60)}” is not known, and its address is left out: ${excerpt(address, 200)}.`,
      )
    if (isFormula(element) && latexOf(element) === undefined && textOf(element) !== '')
      this.warnings.leftOut(
        `A formula without its LaTeX is left as its signs, in one line: “${excerpt(textOf(element), 80)}”.`,
      )
    const isHidden =
      attribs.hidden !== undefined || styleOf(element, 'display') === 'none' || isSpeakerNote(element)
    const lost = lostElements.get(name)
    if (isHidden) this.warnings.note(`Hidden text is left out${quoted()}.`)
    else if (/^https?:\/\/gist\.github\.com\//.test(attribs.src ?? ''))
      this.warnings.leftOut(`A script that shows code is left out: ${excerpt(attribs.src ?? '', 200)}.`)
    else if (name === 'script' || name === 'style') this.warnings.note(`A ${name} is left out.`)
    else if (name === 'svg' && isIcon(element)) this.warnings.note('An icon is left out.')
    else if (lost !== undefined && !(name === 'input' && attribs.type === 'hidden'))
      this.warnings.leftOut(`${lost} is left out${quoted()}.`)
    const isSign = styleOf(element, 'mso-list') === 'ignore'
    return isHidden || lost !== undefined || silentElements.has(name) || isSign
  }

  /** What an element is in running text, where that is more than a format. */
  #item(element: Element, { marks }: Context): Leaf[] | undefined {
    const { name, attribs } = element
    const note = this.#footnotes.texts.get(element)
    if (note !== undefined && /#cmnt\d+$/.test(attribs.href ?? '')) {
      this.warnings.note(`A comment of an editor is left out: “${excerpt(textOf(note), 80)}”.`)
      return []
    }
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
    if (latex !== undefined) return [{ marks, item: { type: 'math', latex } }]
    const url = isSmall(element) ? pictureAddress(element) : undefined
    if (url === undefined) return undefined
    const picture = { url, alt: (attribs.alt ?? '').trim(), width: numberOf(element, 'width') }
    return [{ marks, item: { type: 'inline_image', ...picture } }]
  }

  /** The address of a quote, or of a change to a text, which no page shows. */
  leaveOutSource({ attribs: { cite } }: Element): void {
    if (cite) this.warnings.leftOut(`The address of a source is left out: ${excerpt(cite, 200)}.`)
  }

  #footnote(note: Element, marks: readonly Mark[]): Leaf[] {
    if (this.#openNotes.has(note)) return []
    this.#openNotes.add(note)
    const running = this.#notes.get(note) ?? this.running(note.children, { marks: [] }).running
    this.#notes.set(note, running)
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
    if (isEmpty && !/^(?:#|$)/.test(href) && !this.#linkedByWords.has(href))
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
