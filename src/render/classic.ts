import { LIMITS } from '../contract/limits.ts'
import type {
  Audio,
  CodeBlock,
  Heading,
  Image,
  List,
  ListItem,
  Paragraph,
  Quote,
  Table,
} from '../contract/tree.ts'
import {
  checkDepth,
  isBlankHtml,
  type NodeHandler,
  type OutputFormat,
  type RenderContext,
} from './context.ts'
import { escapeAttribute, escapeAutoembed, escapeCode, safeAnchor } from './escape.ts'
import { renderInlines } from './inline.ts'
import {
  headingLevel,
  languageClass,
  renderCaption,
  renderTableRows,
  resolvePicture,
  resolveSound,
} from './shared-parts.ts'

const heading: NodeHandler<Heading> = (node, state) => {
  const html = renderInlines(node.content, state)
  if (html === '') return ''
  const level = headingLevel(node, state)
  const anchor = safeAnchor(node.anchor ?? '')
  const id = anchor === '' ? '' : ` id="${escapeAttribute(anchor)}"`
  return `<h${level}${id}>${html}</h${level}>`
}

const paragraph: NodeHandler<Paragraph> = ({ content }, state) =>
  paragraphElement(renderInlines(content, state))

/** @param html rendered inline content */
const paragraphElement = (html: string): string => (html === '' ? '' : `<p>${escapeAutoembed(html)}</p>`)

/** One line: `wpautop` turns a line break inside an item into `<br />`. */
const list: NodeHandler<List> = (node, state) => listElement(node, state, 1)

function listElement({ ordered, start, items }: List, state: RenderContext, depth: number): string {
  checkDepth(depth, LIMITS.listDepth)
  if (items.length === 0) return ''
  const tag = ordered ? 'ol' : 'ul'
  const first = ordered && start !== undefined ? ` start="${start}"` : ''
  return `<${tag}${first}>${items.map((item) => itemElement(item, state, depth)).join('')}</${tag}>`
}

function itemElement({ content, lists }: ListItem, state: RenderContext, depth: number): string {
  const inside = lists.map((list) => listElement(list, state, depth + 1)).join('')
  return `<li>${renderInlines(content, state)}${inside}</li>`
}

const table: NodeHandler<Table> = (node, state) => {
  const rows = renderTableRows(node, state)
  const caption = renderInlines(node.caption ?? [], state)
  if (rows === '') return paragraphElement(caption)
  const element = `<table>${rows}</table>`
  return caption === '' ? element : `<figure>${element}<figcaption>${caption}</figcaption></figure>`
}

const codeBlock: NodeHandler<CodeBlock> = (node, state) => {
  const code = state.spend(escapeCode(node.value))
  if (isBlankHtml(code)) return ''
  const language = languageClass(node, state)
  return `<pre><code${language === undefined ? '' : ` class="${language}"`}>${code}</code></pre>`
}

/** As the classic editor inserts an image; the caption is in a figure because `[caption]` needs a width. */
const image: NodeHandler<Image> = (node, state) => {
  const picture = resolvePicture(node, state)
  if (picture === undefined) return paragraphElement(renderCaption(node, state))
  const { id, src, size, href, caption } = picture
  const className = `alignnone size-${size}${id === undefined ? '' : ` wp-image-${id}`}`
  const title = node.title ? ` title="${escapeAttribute(node.title)}"` : ''
  const img = `<img class="${className}" src="${escapeAttribute(src)}" alt="${escapeAttribute(node.alt)}"${title} />`
  const linked = href === undefined ? img : `<a href="${escapeAttribute(href)}">${img}</a>`
  return caption === ''
    ? `<p>${linked}</p>`
    : `<figure class="wp-caption alignnone">${linked}<figcaption class="wp-caption-text">${caption}</figcaption></figure>`
}

const quote: NodeHandler<Quote> = ({ paragraphs, citation }, state) => {
  const inside = paragraphs.map((content) => paragraphElement(renderInlines(content, state))).join('')
  const source = renderInlines(citation ?? [], state)
  const cite = source === '' ? '' : `<p><cite>${source}</cite></p>`
  return inside + cite === '' ? '' : `<blockquote>${inside}${cite}</blockquote>`
}

const audio: NodeHandler<Audio> = (node, state) => {
  const sound = resolveSound(node, state)
  return sound === undefined ? '' : `<p><audio controls src="${escapeAttribute(sound.src)}"></audio></p>`
}

/** HTML for sites without the block editor: one block per line, which `wpautop` leaves unchanged. */
export const classic = {
  handlers: { heading, paragraph, list, table, code_block: codeBlock, image, quote, audio },
  more: '<!--more-->',
} satisfies OutputFormat
