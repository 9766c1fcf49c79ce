import type { List } from '../../../src/blocks/list/index.ts'

/** A list with a list in each of its items, `depth` of them inside each other. */
export function listInList(depth: number): List {
  let list: List = { type: 'list', ordered: false, items: [{ content: [], blocks: [] }] }
  for (let level = 1; level < depth; level += 1)
    list = {
      type: 'list',
      ordered: false,
      items: [{ content: [{ type: 'text', text: 'x' }], blocks: [list] }],
    }
  return list
}
