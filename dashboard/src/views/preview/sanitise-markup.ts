import { __ } from '@wordpress/i18n'
import type { Preview } from '../../api/client.ts'
import { parsedMarkup } from '../../components/parsed-markup.ts'

type Uploads = Preview['uploads']

/** The elements of a post that are kept, with their attributes. Others are replaced by their content. */
const known: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    'blockquote br cite code details div em figcaption figure h1 h2 h3 h4 h5 h6 hr kbd li mark ol p pre s strong sub summary sup table tbody thead tr ul'
      .split(' ')
      .map((name) => [name, []]),
  ),
  ol: ['start'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan'],
}

/** Elements that are removed with their content. */
const silent = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'iframe',
  'object',
  'embed',
  'head',
  'svg',
  'annotation',
  'annotation-xml',
])

const MATHML = 'http://www.w3.org/1998/Math/MathML'

const files: Readonly<Record<string, () => string>> = {
  img: () => __('Picture', 'galley'),
  audio: () => __('Sound', 'galley'),
  video: () => __('Video', 'galley'),
}

/**
 * A sanitised copy of a post's markup: nothing in it runs, loads or links. Pictures and sounds become labelled boxes, since they are in no
 * media library yet.
 */
export function sanitisedMarkup(made: Document, markup: string, uploads: Uploads): DocumentFragment {
  const shown = made.createDocumentFragment()
  copy(parsedMarkup(markup), shown, { made, uploads })
  return shown
}

interface Copying {
  made: Document
  uploads: Uploads
}

function copy(from: Node, to: Node, copying: Copying): void {
  const { made } = copying
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) to.appendChild(made.createTextNode(node.textContent ?? ''))
    if (!(node instanceof Element)) continue
    const name = node.localName
    if (silent.has(name)) continue
    if (node.namespaceURI === MATHML && /^m[a-z]+$|^semantics$/.test(name)) {
      const element = to.appendChild(made.createElementNS(MATHML, name))
      if (node.getAttribute('display') === 'block') element.setAttribute('display', 'block')
      copy(node, element, copying)
    } else if (files[name]) to.appendChild(boxFor(node, copying))
    else if (name === 'a') copy(node, to.appendChild(linkFor(node, copying)), copying)
    else copy(node, known[name] ? to.appendChild(elementFor(node, copying)) : to, copying)
  }
}

function elementFor(node: Element, { made }: Copying): HTMLElement {
  const element = made.createElement(node.localName)
  // WordPress's own classes, for the style sheets.
  const classes = [...node.classList].filter((name) => /^(?:wp|has|is)-|^align/.test(name))
  if (classes.length > 0) element.className = classes.join(' ')
  for (const name of known[node.localName] ?? []) {
    const value = node.getAttribute(name)
    if (value !== null) element.setAttribute(name, value)
  }
  return element
}

/** A link shows its target and does not link. */
function linkFor(node: Element, { made }: Copying): HTMLElement {
  const link = made.createElement('a')
  link.title = node.getAttribute('href') ?? ''
  return link
}

function boxFor(node: Element, { made, uploads }: Copying): HTMLElement {
  const src = node.getAttribute('src') ?? ''
  const upload = uploads.find(({ placeholder }) => placeholder.url === src || placeholder.sized_url === src)
  const box = made.createElement('span')
  box.className = `file ${node.localName}`
  const kind = made.createElement('b')
  kind.textContent = files[node.localName]?.() ?? ''
  const name = made.createElement('span')
  name.textContent = upload?.file_name ?? src
  const alt = made.createElement('i')
  alt.textContent = node.getAttribute('alt') ?? ''
  box.append(kind, name, alt)
  return box
}
