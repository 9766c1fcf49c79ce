import { LIMITS } from '../contract/limits.ts'
import type {
  Audio,
  CodeBlock,
  Heading,
  Image,
  Inline,
  List,
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
import {
  escapeAutoembed,
  escapeBlockAttribute,
  escapeCode,
  safeAnchor,
  serializeBlockAttributes,
} from './escape.ts'
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
  const comment = serializeBlockAttributes({
    ...(level === 2 ? {} : { level }),
    ...(anchor !== '' && state.anchorInComment ? { anchor } : {}),
  })
  const id = anchor === '' ? '' : ` id="${escapeBlockAttribute(anchor)}"`
  const attributes = state.anchorInComment
    ? `${id} class="wp-block-heading"`
    : ` class="wp-block-heading"${id}`
  return `<!-- wp:heading${comment} -->\n<h${level}${attributes}>${html}</h${level}>\n<!-- /wp:heading -->`
}

const paragraph: NodeHandler<Paragraph> = ({ content }, state) =>
  paragraphBlock(renderInlines(content, state))

/** @param html rendered inline content */
const paragraphBlock = (html: string): string =>
  html === '' ? '' : `<!-- wp:paragraph -->\n<p>${escapeAutoembed(html)}</p>\n<!-- /wp:paragraph -->`

const list: NodeHandler<List> = (node, state) => listBlock(node, state, 1)

/** @param depth 1 for a top-level list */
function listBlock({ ordered, start, items }: List, state: RenderContext, depth: number): string {
  checkDepth(depth, LIMITS.listDepth)
  if (items.length === 0) return ''
  const tag = ordered ? 'ol' : 'ul'
  const first = ordered ? start : undefined
  const comment = serializeBlockAttributes({
    ...(ordered ? { ordered } : {}),
    ...(first === undefined ? {} : { start: first }),
  })
  const open = `<${tag}${first === undefined ? '' : ` start="${first}"`} class="wp-block-list">`
  const rendered = items.map(({ content, lists }) => {
    const nested = lists.map((inner) => listBlock(inner, state, depth + 1))
    return listItem(content, joinBlocks(nested), state)
  })
  return `<!-- wp:list${comment} -->\n${open}${joinBlocks(rendered)}</${tag}>\n<!-- /wp:list -->`
}

/** @param nested rendered lists. An empty item stays because it counts in the numbering. */
const listItem = (content: readonly Inline[], nested: string, state: RenderContext): string =>
  `<!-- wp:list-item -->\n<li>${renderInlines(content, state)}${nested}</li>\n<!-- /wp:list-item -->`

/** Joins sibling blocks as the editor does, without empty ones. */
const joinBlocks = (blocks: readonly string[]): string => blocks.filter((block) => block !== '').join('\n\n')

/**
 * Column widths follow the text. The editor's default changed from that (6.1) to equal widths (6.8); the explicit
 * attribute makes the same markup valid in both.
 */
const table: NodeHandler<Table> = (node, state) => {
  const rows = renderTableRows(node, state)
  const caption = renderInlines(node.caption ?? [], state)
  if (rows === '') return paragraphBlock(caption)
  const figcaption = caption === '' ? '' : `<figcaption class="wp-element-caption">${caption}</figcaption>`
  return (
    '<!-- wp:table {"hasFixedLayout":false} -->\n' +
    `<figure class="wp-block-table"><table>${rows}</table>${figcaption}</figure>\n` +
    '<!-- /wp:table -->'
  )
}

const codeBlock: NodeHandler<CodeBlock> = (node, state) => {
  const code = state.spend(escapeCode(node.value))
  if (isBlankHtml(code)) return ''
  const className = languageClass(node, state)
  const comment = serializeBlockAttributes(className === undefined ? {} : { className })
  const classes = className === undefined ? 'wp-block-code' : `wp-block-code ${className}`
  return `<!-- wp:code${comment} -->\n<pre class="${classes}"><code>${code}</code></pre>\n<!-- /wp:code -->`
}

const image: NodeHandler<Image> = (node, state) => {
  const picture = resolvePicture(node, state)
  if (picture === undefined) return paragraphBlock(renderCaption(node, state))
  const { id, src, size, href, caption } = picture
  const comment = serializeBlockAttributes({
    ...(id === undefined ? {} : { id }),
    sizeSlug: size,
    ...(id === undefined && href === undefined
      ? {}
      : { linkDestination: href ? state.settings.image_link : 'none' }),
  })
  const className = id === undefined ? '' : ` class="wp-image-${id}"`
  const title = node.title ? ` title="${escapeBlockAttribute(node.title)}"` : ''
  const img = `<img src="${escapeBlockAttribute(src)}" alt="${escapeBlockAttribute(node.alt)}"${className}${title}/>`
  const linked = href === undefined ? img : `<a href="${escapeBlockAttribute(href)}">${img}</a>`
  const figcaption = caption === '' ? '' : `<figcaption class="wp-element-caption">${caption}</figcaption>`
  return `<!-- wp:image${comment} -->\n<figure class="wp-block-image size-${size}">${linked}${figcaption}</figure>\n<!-- /wp:image -->`
}

const quote: NodeHandler<Quote> = ({ paragraphs, citation }, state) => {
  const inside = joinBlocks(paragraphs.map((content) => paragraphBlock(renderInlines(content, state))))
  const source = renderInlines(citation ?? [], state)
  const cite = source === '' ? '' : `<cite>${source}</cite>`
  if (inside + cite === '') return ''
  return `<!-- wp:quote -->\n<blockquote class="wp-block-quote">${inside}${cite}</blockquote>\n<!-- /wp:quote -->`
}

const audio: NodeHandler<Audio> = (node, state) => {
  const sound = resolveSound(node, state)
  if (sound === undefined) return ''
  const comment = serializeBlockAttributes(sound.id === undefined ? {} : { id: sound.id })
  return `<!-- wp:audio${comment} -->\n<figure class="wp-block-audio"><audio controls src="${escapeBlockAttribute(sound.src)}"></audio></figure>\n<!-- /wp:audio -->`
}

/** Block editor markup, byte for byte as the editor saves the same blocks. */
export const blocks = {
  handlers: { heading, paragraph, list, table, code_block: codeBlock, image, quote, audio },
  more: '<!-- wp:more -->\n<!--more-->\n<!-- /wp:more -->',
} satisfies OutputFormat
