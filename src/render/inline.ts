import { LIMITS } from '../contract/limits.ts'
import type { Inline } from '../contract/tree.ts'
import { truncate } from '../lib/text.ts'
import {
  checkDepth,
  enterFormat,
  type InlineContext,
  type InlineHandler,
  isBlankHtml,
  type RenderContext,
  topLevelContext,
  wrapFormat,
} from './context.ts'
import { escapeAttribute, escapeText, isExternalUrl, safeAnchor, safeLinkUrl } from './escape.ts'

const text: InlineHandler<Extract<Inline, { type: 'text' }>> = (node) => escapeText(node.text)

const bold: InlineHandler<Extract<Inline, { type: 'bold' }>> = (_node, html, _state, within) =>
  within.bold ? html : wrapFormat('<strong>', html, '</strong>')

const italic: InlineHandler<Extract<Inline, { type: 'italic' }>> = (_node, html, _state, within) =>
  within.italic ? html : wrapFormat('<em>', html, '</em>')

/** `undefined` for an unsafe URL. */
const linkTarget = ({ href }: { href: string }): string | undefined =>
  href.startsWith('#') ? `#${safeAnchor(href.slice(1))}` : safeLinkUrl(href)

/** Only the text where the URL is unsafe or the link is inside another. */
const link: InlineHandler<Extract<Inline, { type: 'link' }>> = (node, html, state, within) => {
  if (within.link) return html
  const href = linkTarget(node)
  if (href === undefined) {
    state.warn('link_unsafe', `A link to "${truncate(node.href, 80)}" was left out and its text kept.`)
    return html
  }
  const title = node.title ? ` title="${escapeAttribute(node.title)}"` : ''
  return wrapFormat(
    `<a href="${escapeAttribute(href)}"${title}${externalLinkAttributes(href, state)}>`,
    html,
    '</a>',
  )
}

function externalLinkAttributes(href: string, { settings, siteOrigin }: RenderContext): string {
  if (!settings.outside_links_in_new_tab && settings.outside_link_rel.length === 0) return ''
  if (!isExternalUrl(href, siteOrigin)) return ''
  const target = settings.outside_links_in_new_tab ? ' target="_blank"' : ''
  const rel = new Set(settings.outside_links_in_new_tab ? ['noreferrer', 'noopener'] : [])
  for (const word of settings.outside_link_rel) rel.add(word)
  return `${target} rel="${[...rel].join(' ')}"`
}

const code: InlineHandler<Extract<Inline, { type: 'code' }>> = ({ text }) =>
  wrapFormat('<code>', escapeText(text), '</code>')

const handlers: { [Type in Inline['type']]: InlineHandler<Extract<Inline, { type: Type }>> } = {
  text,
  bold,
  italic,
  link,
  code,
}

/** Renders an element's inline content, trimmed; empty where nothing would be visible. */
export function renderInlines(nodes: readonly Inline[], state: RenderContext): string {
  const html = trimSpaces(renderChildren(nodes, state, topLevelContext))
  return isBlankHtml(html) ? '' : state.spend(html)
}

const joints = { bold: ['</strong>', '<strong>'], italic: ['</em>', '<em>'] } as const

/** Renders siblings; two adjacent ones of the same format are merged. */
function renderChildren(nodes: readonly Inline[], state: RenderContext, within: InlineContext): string {
  checkDepth(within.depth, LIMITS.jsonDepth)
  // Only the last node is inspected again. Keeping it apart avoids a copy of the whole markup per node and level.
  let html = ''
  let last = ''
  for (const node of nodes) {
    let next = renderInline(node, state, within)
    if (next === '') continue
    const [close, open] = node.type === 'bold' || node.type === 'italic' ? joints[node.type] : []
    if (close !== undefined && last.endsWith(close) && next.startsWith(open)) {
      last = last.slice(0, -close.length)
      next = next.slice(open.length)
    }
    html += last
    last = next
  }
  return html + last
}

function renderInline(node: Inline, state: RenderContext, within: InlineContext): string {
  const handler = handlers[node.type] as InlineHandler<Inline>
  if (!('children' in node)) return handler(node, '', state, within)
  // A dropped link may contain another link.
  const opens = node.type !== 'link' || linkTarget(node) !== undefined
  const html = renderChildren(node.children, state, enterFormat(within, opens ? node.type : undefined))
  return handler(node, html, state, within)
}

function trimSpaces(html: string): string {
  let start = 0
  let end = html.length
  while (html.charCodeAt(start) === 32) start += 1
  while (end > start && html.charCodeAt(end - 1) === 32) end -= 1
  return html.slice(start, end)
}
