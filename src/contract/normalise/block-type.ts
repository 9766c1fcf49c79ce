import type { Block } from '../tree.ts'
import { typeOf } from './fields.ts'
import { listTypes } from './list-type.ts'

/** Other words for each type, beside its own name: how a type is marked is open (docs/contract.md). */
const otherWords: Readonly<Record<Block['type'], readonly string[]>> = {
  heading: [1, 2, 3, 4, 5, 6].map((level) => `h${level}`),
  paragraph: ['p'],
  list: Object.keys(listTypes),
  table: [],
  code_block: ['codeblock', 'pre'],
  image: ['picture', 'img'],
  quote: ['blockquote'],
  audio: [],
}

const blockTypes: ReadonlyMap<string, Block['type']> = new Map(
  (Object.entries(otherWords) as [Block['type'], readonly string[]][]).flatMap(([type, words]) =>
    [type, ...words].map((word) => [word, type] as const),
  ),
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
