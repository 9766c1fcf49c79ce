import { type ChildNode, DomHandler, type Element, isTag } from 'domhandler'
import { DomUtils, Parser } from 'htmlparser2'
import { type TextAlignment, textAlignments } from '../../blocks/paragraph/index.ts'
import { LIMITS, LimitError } from '../../contract/limits.ts'

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

const blockElements = new Set(
  'address amp-img article aside audio blockquote body caption center dd details dialog dir div dl dt embed fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html iframe img legend li main menu nav object oembed ol p picture pre section summary table tbody td tfoot th thead tr ul video'.split(
    ' ',
  ),
)

/** A picture that stands for a character: its alternative text. */
export const isEmoji = (element: Element): boolean =>
  element.name === 'img' && ['emoji', 'wp-smiley', 'emojione'].some((name) => hasClass(element, name))

export const isBlock = (element: Element): boolean =>
  (blockElements.has(element.name) && !isEmoji(element)) || isDisplayedFormula(element)

/** A formula on a line of its own, as browsers, MathML and KaTeX have it. */
const isDisplayedFormula = (element: Element): boolean =>
  (element.name === 'math' && element.attribs.display === 'block') || hasClass(element, 'katex-display')

export const hasClass = ({ attribs }: Element, name: string): boolean =>
  (attribs.class ?? '').split(/\s+/).includes(name)

export const elementsIn = (nodes: readonly ChildNode[]): Element[] => nodes.filter(isTag)

export const textOf = (node: ChildNode | ChildNode[]): string =>
  DomUtils.textContent(node).replace(/\s+/g, ' ').trim()

/** The first element in these nodes, however deep. */
export const findElement = (nodes: readonly ChildNode[], test: (element: Element) => boolean) =>
  DomUtils.findOne(test, [...nodes], true) ?? undefined

export const findNamed = (nodes: readonly ChildNode[], ...names: string[]): Element[] =>
  DomUtils.findAll(({ name }) => names.includes(name), [...nodes])

/** The value of one property of a `style`, in lower case; empty where it has none. */
export function styleOf({ attribs }: Element, property: string): string {
  for (const declaration of (attribs.style ?? '').toLowerCase().split(';')) {
    const colon = declaration.indexOf(':')
    if (declaration.slice(0, colon).trim() === property) return declaration.slice(colon + 1).trim()
  }
  return ''
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
