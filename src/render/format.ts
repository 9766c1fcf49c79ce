import type { Block } from '../contract/tree.ts'
import type { Handler } from './state.ts'

/** One way to write a post: a handler for every block type, so that a new type does not compile without one. */
export interface Format {
  readonly handlers: { readonly [Type in Block['type']]: Handler<Extract<Block, { type: Type }>> }
  /** The break after which only the whole post goes on. */
  readonly more: string
}
