import { LIMITS } from '../../contract/limits.ts'
import type { List } from '../../contract/tree.ts'
import { blockComment } from '../escape.ts'
import { checkDepth, type Handler, type State } from '../state.ts'
import { joinBlocks } from './join.ts'
import { listItem } from './list-item.ts'

export const list: Handler<List> = (node, state) => listBlock(node, state, 1)

/** @param depth of this list, 1 for one that stands in no other */
function listBlock({ ordered, start, items }: List, state: State, depth: number): string {
  checkDepth(depth, LIMITS.listDepth)
  if (items.length === 0) return ''
  const tag = ordered ? 'ol' : 'ul'
  const first = ordered ? start : undefined
  const comment = blockComment({
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
