import { type ChildNode, type Element, isTag, type ParentNode } from 'domhandler'
import { DomUtils } from 'htmlparser2'
import { pageOf, providerOf } from '../../blocks/embed/providers.ts'
import { byName } from '../../blocks/wire.ts'
import { excerpt } from '../../lib/text.ts'
import { addressOf, filled, type WireBlock } from '../foreign.ts'
import type { Context, HtmlReader } from '../html.ts'
import { imageOf } from '../things.ts'
import {
  alignmentOf,
  elementsIn,
  findElement,
  findNamed,
  hasClass,
  numberOf,
  styleOf,
  textOf,
} from './dom.ts'
import { type Running, toRunning, withMark } from './running-text.ts'
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

const heading: BlockReader = (element, context, reader) => {
  const { running, others } = reader.running(element.children, context)
  if (running === '') return others
  const anchor = element.attribs.id
  // Word processors number their headings; whoever names one by hand writes words.
  const isNamed = anchor !== undefined && /^[a-z][\w-]*$/i.test(anchor)
  const align = alignmentOf(element) ?? context.align
  const level = Number(element.name.slice(1))
  return [
    { type: 'heading', level, text: running, ...(isNamed && { anchor }), ...(align && { align }) },
    ...others,
  ]
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
  reader.leaveOutSource(element)
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

/** The address of a picture: pages that load it late have it elsewhere, with a placeholder in `src`. */
function pictureAddress({ attribs }: Element): string | undefined {
  const late = attribs['data-src'] ?? attribs['data-lazy-src'] ?? attribs['data-original']
  const { src } = attribs
  const isPlaceholder = src === undefined || src.trim() === '' || /^data:image\/(?:gif|svg)/.test(src)
  if (isPlaceholder && late) return late.trim()
  if (src !== undefined && src.trim() !== '') return src.trim()
  return firstOfSet(attribs.srcset ?? attribs['data-srcset'])
}

const firstOfSet = (set: string | undefined): string | undefined =>
  set?.trim().split(/[\s,]/, 1)[0] || undefined

const image: BlockReader = (element, context, reader) => {
  const { attribs } = element
  const alt = (attribs.alt ?? '').trim()
  const source = elementsIn(element.parent?.children ?? []).find(({ name }) => name === 'source')
  const url = pictureAddress(element) ?? firstOfSet(source?.attribs.srcset)
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

/** The words of its `figcaption`, and what stands there and is no text. */
function captionOf(element: Element, reader: HtmlReader): { caption?: Running; others: WireBlock[] } {
  const [found] = findNamed(element.children, 'figcaption')
  const { running, others } = reader.running(found?.children ?? [], { marks: [] })
  return { ...(running !== '' && { caption: running }), others }
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
  const captions = elementsIn(element.children).filter(({ name }) => name === 'figcaption')
  const caption = captions[0] && reader.running(captions[0].children, { marks: [] }).running
  return [{ type: 'gallery', images, ...(caption && { caption }) }]
}

/** A frame of a known player is embedded; any other is a link, since WordPress shows no frames of strangers. */
const frame: BlockReader = ({ attribs }, _context, { warnings }) => {
  const written = (attribs.src || attribs['data-src'] || attribs.data || attribs.url || '').trim()
  if (written === '' || written === 'about:blank') return []
  const address = addressOf(written)
  const url = pageOf(address)
  if (url !== address || providerOf(url) !== undefined) return [{ type: 'embed', url }]
  const text = attribs.title?.trim() || written
  warnings.changed(`A frame becomes a link: ${excerpt(written, 200)}.`)
  return [{ type: 'paragraph', content: [{ type: 'link', url: written, text }] }]
}

const player =
  (type: 'video' | 'audio'): BlockReader =>
  (element, context, reader) => {
    const { attribs, children } = element
    const addresses = [element, ...findNamed(children, 'source')].map((one) => one.attribs.src)
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

const languageClass = /(?:^|\s)(?:lang(?:uage)?-|highlight-source-|brush:\s*|sourceCode\s+)([\w+#.-]+)/

function languageOf(nodes: readonly (ChildNode | ParentNode | null | undefined)[]): string | undefined {
  for (const node of nodes) {
    if (!node || !isTag(node)) continue
    const { attribs } = node
    const named =
      attribs['data-lang'] ??
      attribs['data-language'] ??
      attribs['data-code-block-lang'] ??
      languageClass.exec(attribs.class ?? '')?.[1]
    if (named) return named
  }
  return undefined
}

const preformatted: BlockReader = (element, context, reader) => {
  const [code, ...more] = elementsIn(element.children)
  const isCode = code?.name === 'code' && more.length === 0 && textOf(code) === textOf(element)
  const language = languageOf([code, element, element.parent])
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
  const kind = /(?:markdown-alert-|admonition-|\bhint--?|\balert-)(\w+)/.exec(
    element.attribs.class ?? '',
  )?.[1]
  const isTitle = (child: Element) => /(?:alert|admonition)-title/.test(child.attribs.class ?? '')
  const title = elementsIn(element.children).find(isTitle)
  const content = reader.blocks(
    element.children.filter((child) => child !== title),
    context,
  )
  return [{ type: 'callout', ...(kind && { kind }), ...(title && { title: textOf(title) }), content }]
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
}

const readers = byName<BlockReader>({
  'h1 h2 h3 h4 h5 h6': heading,
  blockquote: quote,
  pre: preformatted,
  figure,
  'img amp-img': image,
  video: player('video'),
  audio: player('audio'),
  'iframe embed object oembed': frame,
  hr: () => [{ type: 'separator' }],
  details,
  table: tableBlocks,
  // Its text is read where the element is that it belongs to.
  figcaption: () => [],
  source: () => [],
  center: (element, context, reader) => reader.blocks(element.children, { ...context, align: 'center' }),
  dt: (element, context, reader) => {
    reader.warnings.changed('A list of definitions becomes paragraphs.')
    return reader.blocks(element.children, { ...context, marks: withMark(context.marks, { type: 'bold' }) })
  },
})
