import type { Inline } from '../../contract/tree.ts'
import { renderInlines } from '../inline.ts'
import type { State } from '../state.ts'

/**
 * An item with the lists inside it, already rendered. An empty item stays, as the others are counted by it.
 */
export const listItem = (content: readonly Inline[], nested: string, state: State): string =>
  `<!-- wp:list-item -->\n<li>${renderInlines(content, state)}${nested}</li>\n<!-- /wp:list-item -->`
