import type { Inline } from '../tree.ts'
import { blockTypeOf } from './block-type.ts'
import { isWire, textOf } from './fields.ts'
import { readInlines } from './inline.ts'
import { keptAsText } from './kept-as-text.ts'
import { plainText } from './plain-text.ts'
import type { Reading } from './reading.ts'

const codes = { 'list item': 'list_item_flattened', quote: 'quote_flattened' } as const

/** A part of what holds no blocks in the block editor, or none of that kind: another block is kept as its text, and said. */
export function readFlattened(part: unknown, inside: keyof typeof codes, reading: Reading): Inline[] {
  const type = blockTypeOf(part)
  if (type === undefined || !isWire(part)) return readInlines(part, reading)
  if (type === 'paragraph' && textOf(part) !== undefined)
    return readInlines({ ...part, type: 'text' }, reading)
  reading.warn(codes[inside], keptAsText(type, `inside a ${inside}`))
  return readInlines(plainText(part), reading)
}
