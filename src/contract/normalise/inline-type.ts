import type { Inline } from '../tree.ts'
import { isWire, typeOf } from './fields.ts'

/** Other words for the five kinds, and for a line break: how a kind is marked is open (docs/contract.md). */
const inlineTypes: ReadonlyMap<string, Inline['type'] | 'break'> = new Map(
  Object.entries({
    text: 'text',
    bold: 'bold',
    strong: 'bold',
    b: 'bold',
    italic: 'italic',
    em: 'italic',
    emphasis: 'italic',
    i: 'italic',
    link: 'link',
    a: 'link',
    code: 'code',
    inline_code: 'code',
    code_inline: 'code',
    line_break: 'break',
    hard_break: 'break',
    br: 'break',
  } as const),
)

/** The kind of an inline item, by its type as it was written. */
export const inlineTypeOf = (type: string): Inline['type'] | 'break' | undefined => inlineTypes.get(type)

/** Whether an array is a text with formats in it, whose parts stand as close as they are written. */
export const isRunning = (values: readonly unknown[]): boolean =>
  values.some((value) => isFormat(typeOf(value))) &&
  values.every((value) => !isWire(value) || inlineTypes.has(typeOf(value) ?? 'text'))

const isFormat = (type: string | undefined): boolean =>
  type !== undefined && type !== 'text' && inlineTypes.has(type)
