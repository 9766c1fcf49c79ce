import { LIMITS } from '../contract/limits.ts'
import type { Inline } from '../contract/tree.ts'
import { bold } from './inlines/bold.ts'
import { code } from './inlines/code.ts'
import { italic } from './inlines/italic.ts'
import { link, linkTarget } from './inlines/link.ts'
import { text } from './inlines/text.ts'
import { checkDepth, type State } from './state.ts'
import { type InlineHandler, inside, isBlank, outside, type Within } from './within.ts'

const handlers: { [Type in Inline['type']]: InlineHandler<Extract<Inline, { type: Type }>> } = {
  text,
  bold,
  italic,
  link,
  code,
}

/** Inline content as the inside of an element, without spaces at its edges; empty where nothing would show. */
export function renderInlines(nodes: readonly Inline[], state: State): string {
  const html = trimSpaces(renderChildren(nodes, state, outside))
  return isBlank(html) ? '' : state.spend(html)
}

/** What two neighbours of one format are joined by. */
const joints = { bold: ['</strong>', '<strong>'], italic: ['</em>', '<em>'] } as const

/** Inline nodes one after the other; two neighbours of one format become one. */
function renderChildren(nodes: readonly Inline[], state: State, within: Within): string {
  checkDepth(within.depth, LIMITS.jsonDepth)
  // what stands before the last node is never looked at again, so it is not copied: for no node, and with no level around it
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

function renderInline(node: Inline, state: State, within: Within): string {
  const handler = handlers[node.type] as InlineHandler<Inline>
  if (!('children' in node)) return handler(node, '', state, within)
  // a link that is left out leaves room for one inside it
  const opens = node.type !== 'link' || linkTarget(node) !== undefined
  const html = renderChildren(node.children, state, inside(within, opens ? node.type : undefined))
  return handler(node, html, state, within)
}

function trimSpaces(html: string): string {
  let start = 0
  let end = html.length
  while (html.charCodeAt(start) === 32) start += 1
  while (end > start && html.charCodeAt(end - 1) === 32) end -= 1
  return html.slice(start, end)
}
