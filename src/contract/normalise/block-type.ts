import type { Block } from '../tree.ts'
import { typeOf } from './fields.ts'
import { listTypes } from './list-type.ts'

/** Other words for the types: how a type is marked is open (docs/contract.md). */
const blockTypes: ReadonlyMap<string, Block['type']> = new Map(
  Object.entries({
    heading: 'heading',
    ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, 'heading' as const])),
    paragraph: 'paragraph',
    p: 'paragraph',
    ...Object.fromEntries(Object.keys(listTypes).map((name) => [name, 'list' as const])),
    table: 'table',
    code_block: 'code_block',
    codeblock: 'code_block',
    pre: 'code_block',
    image: 'image',
    picture: 'image',
    img: 'image',
    quote: 'quote',
    blockquote: 'quote',
    audio: 'audio',
  } as const),
)

/** These are inline content in a text, and blocks where a block is expected. */
const alsoInline: ReadonlyMap<string, Block['type']> = new Map(
  Object.entries({ text: 'paragraph', code: 'code_block' } as const),
)

/** The type of a block, wherever it stands. */
export function blockTypeOf(value: unknown): Block['type'] | undefined {
  const type = typeOf(value)
  return type === undefined ? undefined : blockTypes.get(type)
}

/** The same, where only blocks are expected. */
export function outerTypeOf(value: unknown): Block['type'] | undefined {
  const type = typeOf(value)
  return type === undefined ? undefined : (blockTypes.get(type) ?? alsoInline.get(type))
}
