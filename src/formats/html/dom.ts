import { type ChildNode, DomHandler, type Element, isTag } from 'domhandler'
import { DomUtils, Parser } from 'htmlparser2'
import { type TextAlignment, textAlignments } from '../../blocks/paragraph/index.ts'
import { setOf } from '../../blocks/wire.ts'
import { LIMITS, LimitError } from '../../contract/limits.ts'
import { trimEndOf } from '../../lib/text.ts'

/** Elements that are open at once: the parser looks through all of them for each end tag. */
const MAX_OPEN = 500

/** The tree of a text. @throws LimitError `document_too_deep`, `document_too_many_inlines` */
export function parseHtml(markup: string): ChildNode[] {
  const handler = new BoundedHandler()
  new Parser(handler).end(markup)
  return handler.dom
}

class BoundedHandler extends DomHandler {
  #elements = 0

  override onopentag(name: string, attributes: Record<string, string>): void {
    super.onopentag(name, attributes)
    this.#elements += 1
    if (this.tagStack.length > MAX_OPEN) throw new LimitError('document_too_deep')
    if (this.#elements > LIMITS.inlines) throw new LimitError('document_too_many_inlines')
  }
}

const blockElements = setOf(
  'address amp-audio amp-dailymotion amp-iframe amp-img amp-twitter amp-video amp-vimeo amp-youtube article aside audio blockquote body caption center dd details dialog dir div dl dt embed fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html iframe img legend li lite-vimeo lite-youtube main menu nav object oembed ol p picture pre section summary table tbody td tfoot th thead tr ul video',
)

/** A picture that stands for a character: its alternative text. */
export const isEmoji = (element: Element): boolean =>
  element.name === 'img' && ['emoji', 'wp-smiley', 'emojione'].some((name) => hasClass(element, name))

export const isBlock = (element: Element): boolean =>
  (blockElements.has(element.name) && !isCharacter(element)) || isDisplayedFormula(element)

/** Whether a picture stands in a line of text: one for a character, a formula, or no higher than two lines. */
const isCharacter = (element: Element): boolean =>
  element.name === 'img' && (isEmoji(element) || latexOf(element) !== undefined || isSmall(element))

/** Pixels. */
const MAX_INLINE = 48

/** A picture of a pixel or so counts visitors. */
export function isSmall(element: Element): boolean {
  const sides = [numberOf(element, 'width'), numberOf(element, 'height')]
  return (
    element.name === 'img' && sides.every((side = 2) => side > 1 && side <= MAX_INLINE) && sides.some(Boolean)
  )
}

/** A formula on a line of its own, as MathML, KaTeX, MathJax, pandoc and Wikipedia have it. */
const isDisplayedFormula = (element: Element): boolean =>
  element.name === 'math' || element.name === 'script'
    ? element.attribs.display === 'block' || /;\s*mode=display/.test(element.attribs.type ?? '')
    : /(?:^|\s)(?:katex-display|math display|mwe-math-fallback-image-display)\b/.test(
        element.attribs.class ?? '',
      )

/** Classes of what has its LaTeX as the text of a picture, or in its brackets. */
const pictureOfFormula = /(?:^|\s)(?:latex|mwe-math-fallback-image-\w+)(?:\s|$)/
const formulaInBrackets = /(?:^|\s)math (?:inline|display)(?:\s|$)/

/**
 * The formula that an element shows, where it has its source beside it, as KaTeX, MathJax, pandoc, Wikipedia and WordPress write
 * it.
 */
export function latexOf(element: Element): string | undefined {
  const { name, attribs, children } = element
  const { class: classes = '' } = attribs
  if (hasClass(element, 'ql-formula')) return attribs['data-value']
  if (name === 'script') return /^math\/tex/.test(attribs.type ?? '') ? textOf(children) : undefined
  if (name === 'img') return pictureOfFormula.test(classes) ? attribs.alt : undefined
  if (formulaInBrackets.test(classes)) return textOf(children)
  if (!isFormula(element)) return undefined
  const source = findElement(
    children,
    (child) => child.name === 'annotation' && /tex/i.test(child.attribs.encoding ?? ''),
  )
  return source ? textOf(source) : (attribs.alttext ?? attribs['data-latex'])
}

/** Whether an element is a formula, with its source or without. */
export const isFormula = ({ name, attribs }: Element): boolean =>
  name === 'math' || /\b(?:katex|katex-display|MathJax)\b/.test(attribs.class ?? '')

export const hasClass = ({ attribs }: Element, name: string): boolean =>
  (attribs.class ?? '').split(/\s+/).includes(name)

export const elementsIn = (nodes: readonly ChildNode[]): Element[] => nodes.filter(isTag)

export const textOf = (node: ChildNode | ChildNode[]): string =>
  DomUtils.textContent(node).replace(/\s+/g, ' ').trim()

/** The nearest element around a node that passes. */
export function around(node: ChildNode, test: (element: Element) => boolean = () => true) {
  let at = node.parent
  while (at !== null && !(isTag(at) && test(at))) at = at.parent
  return at ?? undefined
}

/** The first element in these nodes, however deep. */
export const findElement = (nodes: readonly ChildNode[], test: (element: Element) => boolean) =>
  DomUtils.findOne(test, [...nodes], true) ?? undefined

export const findNamed = (nodes: readonly ChildNode[], ...names: string[]): Element[] =>
  DomUtils.findAll(({ name }) => names.includes(name), [...nodes])

/** An address in an attribute of its own: `data-src`, `data-lazy-src`, `data-src-cmplz`, `data-original`. */
const lateSource = /^data-(?:[\w-]+-)?(?:src(?:-\w+)?|original)$/

/** The address that an element loads. Pages that load it late, or once a visitor agrees, have a placeholder in `src`. */
export function sourceOf({ attribs }: Element): string | undefined {
  const src = (attribs.src ?? '').trim()
  if (src !== '' && !/^(?:about:blank|data:image\/(?:gif|svg))/.test(src)) return src
  const late = Object.keys(attribs).find((name) => lateSource.test(name) && attribs[name]?.trim())
  return late && attribs[late]?.trim()
}

/** The largest picture of a `srcset`: addresses, with commas in some, each with its width or its density. */
export function largestOf(set = ''): string | undefined {
  const sizes = [...set.matchAll(/([^\s,]\S*)(?:\s+([\d.]+)[wx])?/g)]
  const [largest] = sizes.sort(([, , one = 1], [, , other = 1]) => Number(other) - Number(one))
  return largest?.[1] && trimEndOf(largest[1], ',')
}

/** The value of one property of a `style`, in lower case; empty where it has none. */
export function styleOf({ attribs }: Element, property: string): string {
  for (const declaration of (attribs.style ?? '').toLowerCase().split(';')) {
    const colon = declaration.indexOf(':')
    if (declaration.slice(0, colon).trim() === property) return declaration.slice(colon + 1).trim()
  }
  return ''
}

const styleOfClass = /\.(c\d+)\{([^{}]*)\}/g
const formatOfClass =
  /(?:font-weight|font-style|text-decoration|vertical-align):[^;]+|text-align:(?:center|right|justify)/g

/** Gives elements the formats of their classes, where these are such as Google Docs writes: `.c1{font-weight:700}`. */
export function formatByClasses(nodes: readonly ChildNode[]): void {
  const styles = new Map<string, string>()
  for (const sheet of findNamed(nodes, 'style'))
    for (const [, name = '', style = ''] of DomUtils.textContent(sheet).matchAll(styleOfClass))
      styles.set(name, (style.match(formatOfClass) ?? []).join(';'))
  if (styles.size === 0) return
  for (const { attribs } of DomUtils.findAll(({ attribs }) => attribs.class !== undefined, [...nodes])) {
    const own = (attribs.class ?? '').split(/\s+/).flatMap((name) => styles.get(name) || [])
    if (own.length > 0) attribs.style = [attribs.style, ...own].filter(Boolean).join(';')
  }
}

/** How text stands, as an attribute, a style or a class of the block editor says; else undefined. */
export function alignmentOf(element: Element): TextAlignment | undefined {
  const said = styleOf(element, 'text-align') || (element.attribs.align ?? '').toLowerCase()
  for (const side of textAlignments)
    if (said === side || hasClass(element, `has-text-align-${side}`) || hasClass(element, `ql-align-${side}`))
      return side
  return undefined
}

/** A whole number of an attribute, such as a width of pixels; undefined where it is another thing. */
export function numberOf({ attribs }: Element, name: string): number | undefined {
  const written = (attribs[name] ?? '').trim()
  return /^\d{1,6}(?:px)?$/.test(written) ? Number.parseInt(written, 10) : undefined
}
