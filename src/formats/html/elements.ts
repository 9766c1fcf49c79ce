import { type ChildNode, type Element, isTag, type ParentNode } from 'domhandler'
import { DomUtils } from 'htmlparser2'
import { pageOf, pagesById, providerOf } from '../../blocks/embed/providers.ts'
import { byName, filled } from '../../blocks/wire.ts'
import { excerpt, stripTags } from '../../lib/text.ts'
import { addressOf, codeBlock, flatten, imageOf, type WireBlock } from '../foreign.ts'
import type { FormatWarnings } from '../format.ts'
import type { Context, HtmlReader } from '../html.ts'
import {
  alignmentOf,
  around,
  elementsIn,
  findElement,
  findNamed,
  hasClass,
  largestOf,
  numberOf,
  sourceOf,
  styleOf,
  textOf,
} from './dom.ts'
import { type RunningText, simplified, toRunning, withMark } from './running-text.ts'
import { tableBlocks } from './tables.ts'

type BlockReader = (element: Element, context: Context, reader: HtmlReader) => WireBlock[]

/** The blocks of one element. An element without a row is a container. */
export function readElement(element: Element, context: Context, reader: HtmlReader): WireBlock[] {
  const ofClass = Object.entries(byClass).find(([name]) => hasClass(element, name))?.[1]
  const read = ofClass ?? readers.get(element.name) ?? container
  return read(element, context, reader)
}

const container: BlockReader = (element, context, reader) =>
  reader.blocks(element.children, { ...context, align: alignmentOf(element) ?? context.align })

/** A name by which links may lead to a heading: its own, of a mark in it or before it, or of the section that it begins. */
function anchorOf(element: Element, { linkedAnchors }: HtmlReader): string | undefined {
  const before = DomUtils.prevElementSibling(element) ?? around(element)
  const isMark = before === around(element) || (before?.name === 'a' && textOf(before) === '')
  const marks = [element, ...findNamed(element.children, 'a', 'span'), isMark && before]
  const linked = marks
    .flatMap((mark) => (mark ? (mark.attribs.id ?? mark.attribs.name ?? []) : []))
    .find((name) => linkedAnchors.has(name))
  // Word processors number their headings; whoever names one by hand writes words.
  return linked ?? /^[a-z][\w-]*$/i.exec(element.attribs.id ?? '')?.[0]
}

const heading: BlockReader = (element, context, reader) => {
  const { running, others } = reader.running(element.children, context)
  if (running === '') return others
  const align = alignmentOf(element) ?? context.align
  const level = Number(element.name.slice(1))
  const named = filled({ anchor: anchorOf(element, reader), align })
  return [{ type: 'heading', level, text: running, ...named }, ...others]
}

/** The address of a quote, or of a change to a text, which no page shows. */
export function warnOfSource({ attribs: { cite } }: Element, warnings: FormatWarnings): void {
  if (cite) warnings.leftOut(`The address of a source is left out: ${excerpt(cite, 200)}.`)
}

/** The first child of the first of these names that it has, and its other children. */
const withoutType = (element: Element, ...names: string[]): [Element | undefined, ChildNode[]] => {
  const children = elementsIn(element.children)
  const found = names.flatMap((name) => children.find((child) => child.name === name) ?? [])[0]
  return [found, element.children.filter((child) => child !== found)]
}

const quote: BlockReader = (element, context, reader) => {
  const [cite, rest] = withoutType(element, 'cite', 'footer')
  const citation = cite && reader.running(cite.children, context)
  warnOfSource(element, reader.warnings)
  const align = alignmentOf(element) ?? context.align
  const content = reader.blocks(rest, { ...context, align })
  if (citation === undefined) return content.length === 0 ? [] : [{ type: 'quote', content }]
  return [{ type: 'quote', content, citation: citation.running }, ...citation.others]
}

const pullquote: BlockReader = (element, context, reader) => {
  const quoted = findNamed([element], 'blockquote')[0] ?? element
  const [cite, rest] = withoutType(quoted, 'cite')
  const { running, others } = reader.running(rest, context)
  const citation = cite && reader.running(cite.children, context).running
  return [{ type: 'pullquote', value: running, ...(citation && { citation }) }, ...others]
}

/** The address of a picture, of a browser's choices the largest. */
export function pictureAddress(element: Element): string | undefined {
  const { attribs } = element
  const choices = around(element)
  const source = choices?.name === 'picture' && elementsIn(choices.children).find(isSource)
  const sets = [element, source].flatMap((one) =>
    ['srcset', 'data-srcset', 'data-lazy-srcset'].map((name) => largestOf(one ? one.attribs[name] : '')),
  )
  return sourceOf(element) ?? sets.find(Boolean) ?? (attribs.src?.trim() || undefined)
}

const isSource = ({ name }: Element): boolean => name === 'source'

const image: BlockReader = (element, context, reader) => {
  const { attribs } = element
  const alt = (attribs.alt ?? '').trim()
  const url = pictureAddress(element)
  const [width, height] = [numberOf(element, 'width'), numberOf(element, 'height')]
  if (url === undefined) {
    reader.warnings.leftOut(`A picture without an address is left out${alt && `: “${excerpt(alt, 80)}”`}.`)
    return []
  }
  if (width !== undefined && width <= 1 && height !== undefined && height <= 1) {
    reader.warnings.note(`A picture of one pixel is left out: ${excerpt(url, 200)}.`)
    return []
  }
  const link = context.marks.find(({ type }) => type === 'link')?.url
  const align = pictureAlignment(element) ?? (context.align === 'center' ? 'center' : undefined)
  return [imageOf({ url, alt, title: attribs.title, link, width, height, align })]
}

function pictureAlignment(element: Element): string | undefined {
  for (const side of ['left', 'center', 'right', 'wide', 'full'])
    if (hasClass(element, `align${side}`)) return side
  const float = styleOf(element, 'float') || (element.attribs.align ?? '').toLowerCase()
  return float === 'left' || float === 'right' ? float : undefined
}

const isFigure = (element: Element): boolean => element.name === 'figure' || hasClass(element, 'wp-caption')
const isCaption = (element: Element): boolean =>
  element.name === 'figcaption' || hasClass(element, 'wp-caption-text')

/** The figure that a caption is of; one in a figure may be that of a figure in it. */
const figureOf = (caption: Element): Element | undefined => around(caption, isFigure)

/** A caption is read where its figure is. */
const caption: BlockReader = (element, context, reader) =>
  figureOf(element) === undefined ? container(element, context, reader) : []

/** The words of its captions, and what stands there and is no text. */
function captionOf(element: Element, reader: HtmlReader): { caption?: RunningText; others: WireBlock[] } {
  const own = DomUtils.findAll(isCaption, element.children).filter((found) => figureOf(found) === element)
  const { text, others } = flatten(own.flatMap(({ children }) => reader.blocks(children, { marks: [] })))
  return { ...(text.length > 0 && { caption: simplified(text) }), others }
}

/** Blocks that can show a caption. */
const captioned = new Set(['image', 'video', 'audio', 'embed', 'table', 'gallery'])

const figure: BlockReader = (element, context, reader) => {
  const { caption, others } = captionOf(element, reader)
  const align = pictureAlignment(element)
  const blocks = container(element, context, reader).map((block) =>
    block.type === 'image' && align !== undefined ? { ...block, align } : block,
  )
  const [only] = blocks
  if (blocks.length > 1 && blocks.every(({ type }) => type === 'image'))
    return [{ type: 'gallery', images: blocks, ...(caption && { caption }) }, ...others]
  if (caption === undefined) return [...blocks, ...others]
  const member = only?.type === 'quote' ? 'citation' : 'caption'
  const isFree = only?.[member] === undefined && (member === 'citation' || captioned.has(only?.type ?? ''))
  return blocks.length === 1 && isFree
    ? [{ ...only, type: only?.type ?? '', [member]: caption }, ...others]
    : [...blocks, { type: 'paragraph', content: caption }, ...others]
}

const gallery: BlockReader = (element, context, reader) => {
  const inner = findNamed(element.children, 'figure')
  const pictures = inner.length > 0 ? inner : findNamed(element.children, 'img')
  const images = pictures.flatMap((picture) => readElement(picture, context, reader))
  const { caption, others } = captionOf(element, reader)
  return [{ type: 'gallery', images, ...(caption && { caption }) }, ...others]
}

/** A frame of a known player is embedded; any other is a link, since WordPress shows no frames of strangers. */
const frame: BlockReader = (element, _context, { warnings }) => {
  const { attribs } = element
  const written = sourceOf(element) ?? (attribs.data || attribs.url || '').trim()
  if (attribs.srcdoc)
    warnings.leftOut(`What stands in a frame is left out: “${excerpt(stripTags(attribs.srcdoc, ' '), 200)}”.`)
  if (written === '') return []
  const address = addressOf(written)
  const url = pageOf(address)
  if (url !== address || providerOf(url) !== undefined) return [{ type: 'embed', url }]
  const text = attribs.title?.trim() || written
  warnings.changed(`A frame becomes a link: ${excerpt(written, 200)}.`)
  return [{ type: 'paragraph', content: [{ type: 'link', url: written, text }] }]
}

/** Elements that name what they show by its id alone. */
const shownById: BlockReader = ({ name, attribs }, _context, { warnings }) => {
  const id = attribs.videoid ?? attribs['data-videoid'] ?? attribs['data-tweetid']
  const url = id && pagesById[name.replace(/^\w+-/, '')]?.(id)
  if (url) return [{ type: 'embed', url }]
  warnings.leftOut(`A player without an address is left out (${name}).`)
  return []
}

const player =
  (type: 'video' | 'audio'): BlockReader =>
  (element, context, reader) => {
    const { attribs, children } = element
    const addresses = [element, ...findNamed(children, 'source')].map(sourceOf)
    const url = addresses.find(Boolean)
    // What a browser shows that has no player.
    const instead = children.filter((child) => !(isTag(child) && /^(?:source|track)$/.test(child.name)))
    const links = findNamed(instead, 'a', 'img').map((one) => one.attribs.href ?? one.attribs.src)
    const lost = links.filter((link) => link && !addresses.includes(link))
    if (url === undefined) {
      if (lost.length > 0) return reader.blocks(instead, context)
      reader.warnings.leftOut(`A player without an address is left out (${type}).`)
      return []
    }
    if (lost.length > 0)
      reader.warnings.leftOut(
        `What browsers without a player show is left out: “${excerpt(textOf(instead), 80)}” ${excerpt(lost.join(' '), 300)}.`,
      )
    if (findNamed(children, 'track').length > 0)
      reader.warnings.leftOut(`The subtitles of ${excerpt(url, 200)} are left out.`)
    const title = type === 'video' ? attribs.title : undefined
    return [{ type, url, ...filled({ poster: attribs.poster, title }) }]
  }

const languageClass =
  /(?:^|\s)(?:lang(?:uage)?-|highlight-source-|highlight-|brush:\s*|sourceCode\s+)([\w+#.-]+)/

function languageOf(nodes: readonly (ChildNode | ParentNode | null | undefined)[]): string | undefined {
  for (const node of nodes) {
    if (!node || !isTag(node)) continue
    const { attribs } = node
    const named =
      attribs['data-lang'] ??
      attribs['data-language'] ??
      attribs['data-code-block-lang'] ??
      attribs['data-enlighter-language'] ??
      /\bmermaid\b/.exec(attribs.class ?? '')?.[0] ??
      languageClass.exec(attribs.class ?? '')?.[1]
    if (named) return named
  }
  return undefined
}

const preformatted: BlockReader = (element, context, reader) => {
  const [code, ...more] = elementsIn(element.children)
  const isCode = code?.name === 'code' && more.length === 0 && textOf(code) === textOf(element)
  const language = languageOf([code, element, element.parent, element.parent?.parent])
  if (isCode || language !== undefined) {
    const value = DomUtils.getText(element).replace(/^\n|\n$/g, '')
    if (language === 'math') return [{ type: 'math', latex: value }]
    return value.trim() === '' ? [] : [{ type: 'code_block', value, ...(language && { language }) }]
  }
  const leaves = reader.leaves(element.children, { ...context, verbatim: true })
  const content = toRunning(
    leaves.map((leaf, at) =>
      at === 0 && leaf.text ? { ...leaf, text: leaf.text.replace(/^\n/, '') } : leaf,
    ),
  )
  if (textOf(element) === '') return []
  return [{ type: hasClass(element, 'wp-block-verse') ? 'verse' : 'preformatted', content }]
}

const codeOfQuill: BlockReader = ({ children }) => {
  const lines = elementsIn(children).filter((child) => hasClass(child, 'ql-code-block'))
  const { 'data-language': language = '' } = lines[0]?.attribs ?? {}
  return [
    codeBlock(lines.map((line) => DomUtils.textContent(line)).join('\n'), language.replace('plain', '')),
  ]
}

const details: BlockReader = (element, context, reader) => {
  const [summary, rest] = withoutType(element, 'summary')
  const { running, others } = reader.running(summary?.children ?? [], { marks: [] })
  const content = [...others, ...reader.blocks(rest, context)]
  const open = element.attribs.open !== undefined
  return [{ type: 'details', summary: running, content, ...(open && { open }) }]
}

const columns: BlockReader = (element, context, reader) => [
  { type: 'columns', columns: element.children.map((column) => reader.blocks([column], context)) },
]

const buttons: BlockReader = (element, context, reader) => {
  const links = findNamed(element.children, 'a')
  if (links.some(({ attribs }) => !attribs.href)) return container(element, context, reader)
  return [{ type: 'buttons', buttons: links.map((link) => ({ text: textOf(link), url: link.attribs.href })) }]
}

const file: BlockReader = (element, context, reader) => {
  const link = findNamed(element.children, 'a').find(({ attribs }) => attribs.href)
  if (link === undefined) return container(element, context, reader)
  return [{ type: 'file', url: link.attribs.href, text: textOf(link) }]
}

/** A figure of the block editor whose player WordPress makes from its address. */
const embed: BlockReader = (element, context, reader) => {
  const wrapper = findElement(element.children, (child) => hasClass(child, 'wp-block-embed__wrapper'))
  const url = wrapper && textOf(wrapper)
  if (url === undefined || !/^https?:\S+$/.test(url)) return figure(element, context, reader)
  const { caption, others } = captionOf(element, reader)
  return [{ type: 'embed', url, ...(caption && { caption }) }, ...others]
}

/** A post of a social network as text, which its script replaces; the last link is the post. */
const post: BlockReader = (element, context, reader) => {
  const { attribs } = element
  const link = findNamed(element.children, 'a').at(-1)?.attribs.href
  const url = attribs['data-instgrm-permalink'] ?? attribs.cite ?? link
  if (url === undefined) return quote(element, context, reader)
  reader.warnings.changed(`A post is embedded instead of its words: “${excerpt(textOf(element), 200)}”.`)
  return [{ type: 'embed', url: url.split('?', 1)[0] ?? url }]
}

const callout: BlockReader = (element, context, reader) => {
  const kind = /(?:markdown-alert-|admonition[- ]|\bhint--?|\balert-)(\w+)/.exec(
    element.attribs.class ?? '',
  )?.[1]
  const isTitle = (child: Element) => /(?:alert|admonition)-title/.test(child.attribs.class ?? '')
  const head = elementsIn(element.children).find(isTitle)
  const title = head ? textOf(head) : element.attribs['data-title']
  const content = reader.blocks(
    element.children.filter((child) => child !== head),
    context,
  )
  return [{ type: 'callout', ...(kind && { kind }), ...(title && { title }), content }]
}

const byClass: Readonly<Record<string, BlockReader>> = {
  'wp-block-columns': columns,
  'wp-block-gallery': gallery,
  'wp-block-embed': embed,
  'wp-block-buttons': buttons,
  'wp-block-pullquote': pullquote,
  'wp-block-file': file,
  'twitter-tweet': post,
  'instagram-media': post,
  'tiktok-embed': post,
  'markdown-alert': callout,
  admonition: callout,
  alert: callout,
  'column-list': columns,
  'ql-code-block-container': codeOfQuill,
  'wp-caption': figure,
  'wp-caption-text': caption,
}

export const readers = byName<BlockReader>({
  'h1 h2 h3 h4 h5 h6': heading,
  blockquote: quote,
  pre: preformatted,
  figure,
  'img amp-img': image,
  'video amp-video': player('video'),
  'audio amp-audio': player('audio'),
  'iframe amp-iframe embed object oembed': frame,
  'lite-youtube lite-vimeo amp-youtube amp-vimeo amp-dailymotion amp-twitter': shownById,
  hr: () => [{ type: 'separator' }],
  details,
  table: tableBlocks,
  figcaption: caption,
  source: () => [],
  center: (element, context, reader) => reader.blocks(element.children, { ...context, align: 'center' }),
  dt: (element, context, reader) => {
    reader.warnings.changed('A list of definitions becomes paragraphs.')
    return reader.blocks(element.children, { ...context, marks: withMark(context.marks, { type: 'bold' }) })
  },
})
