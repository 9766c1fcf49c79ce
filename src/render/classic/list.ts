import { LIMITS } from '../../contract/limits.ts'
import type { List, ListItem } from '../../contract/tree.ts'
import { renderInlines } from '../inline.ts'
import { checkDepth, type Handler, type State } from '../state.ts'

/** On one line: `wpautop` turns a line break inside an item into `<br />`. */
export const list: Handler<List> = (node, state) => listElement(node, state, 1)

function listElement({ ordered, start, items }: List, state: State, depth: number): string {
  checkDepth(depth, LIMITS.listDepth)
  if (items.length === 0) return ''
  const tag = ordered ? 'ol' : 'ul'
  const first = ordered && start !== undefined ? ` start="${start}"` : ''
  return `<${tag}${first}>${items.map((item) => itemElement(item, state, depth)).join('')}</${tag}>`
}

function itemElement({ content, lists }: ListItem, state: State, depth: number): string {
  const inside = lists.map((list) => listElement(list, state, depth + 1)).join('')
  return `<li>${renderInlines(content, state)}${inside}</li>`
}
