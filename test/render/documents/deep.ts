import type { List } from '../../../src/contract/tree.ts'

/** A list with a list in each of its items, `depth` of them inside each other. */
export function listInList(depth: number): List {
  let list: List = { type: 'list', ordered: false, items: [{ content: [], lists: [] }] }
  for (let level = 1; level < depth; level += 1)
    list = {
      type: 'list',
      ordered: false,
      items: [{ content: [{ type: 'text', text: 'x' }], lists: [list] }],
    }
  return list
}
