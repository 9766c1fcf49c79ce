import type { ListItem } from '../../contract/tree.ts'
import { renderInlines } from '../inline.ts'
import type { State } from '../state.ts'
import { joinBlocks } from './join.ts'
import { listBlock } from './list.ts'

/** An item with the lists inside it; an empty one stays, as the others are counted by it. */
export function listItem({ content, lists }: ListItem, state: State, depth: number): string {
  const inside =
    renderInlines(content, state) + joinBlocks(lists.map((list) => listBlock(list, state, depth + 1)))
  return `<!-- wp:list-item -->\n<li>${inside}</li>\n<!-- /wp:list-item -->`
}
