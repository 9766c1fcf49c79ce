import type { CodeBlock } from '../tree.ts'
import { first, firstText, shownFields, type Wire } from './fields.ts'
import { plainText } from './plain-text.ts'
import type { Reading } from './reading.ts'

/** The code under `value` or another name; an array is one line each. */
export function readCodeBlock(wire: Wire, reading: Reading): CodeBlock[] {
  const value = first(wire, shownFields.code)
  const language = firstText(wire, ['language', 'lang'])?.trim()
  return [
    {
      type: 'code_block',
      value: Array.isArray(value) ? value.map(plainText).join('\n') : plainText(value),
      ...(language === undefined ? {} : { language: reading.line('language', language) }),
    },
  ]
}
