import type { Block } from '../tree.ts'
import { typeOf } from './fields.ts'
import { listTypes } from './list-type.ts'

/** Other words for the types: how a type is marked is open (docs/contract.md). */
const blockTypes: Readonly<Record<string, Block['type']>> = {
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
}

/** These are inline content in a text, and blocks where a block is expected. */
const alsoInline: Readonly<Record<string, Block['type']>> = { text: 'paragraph', code: 'code_block' }

/** The type of a block, wherever it stands. */
export function blockTypeOf(value: unknown): Block['type'] | undefined {
  const type = typeOf(value)
  return type !== undefined && Object.hasOwn(blockTypes, type) ? blockTypes[type] : undefined
}

/** The same, where only blocks are expected. */
export function outerTypeOf(value: unknown): Block['type'] | undefined {
  const type = typeOf(value)
  return type !== undefined && Object.hasOwn(alsoInline, type) ? alsoInline[type] : blockTypeOf(value)
}
