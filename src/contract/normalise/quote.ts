import { LIMITS } from '../limits.ts'
import type { Inline, Quote } from '../tree.ts'
import { blockTypeOf } from './block-type.ts'
import { citationFields, first, shownFields, type Wire } from './fields.ts'
import { readFlattened } from './flattened.ts'
import { readInlines } from './inline.ts'
import { plainText, says } from './plain-text.ts'
import type { Reading } from './reading.ts'
import { runsOf } from './runs.ts'

/** One paragraph or several, and who said it. A blank line inside a string parts two paragraphs. */
export function readQuote(wire: Wire, reading: Reading): Quote[] {
  const value = first(wire, shownFields.quoted)
  const parts = value === wire.paragraphs && Array.isArray(value) ? value : paragraphsOf(value)
  const paragraphs = parts.map((part) => {
    reading.count()
    return readFlattened(part, 'quote', reading)
  })
  const citation = readCitation(wire, reading)
  return [{ type: 'quote', paragraphs, ...(citation.length > 0 ? { citation } : {}) }]
}

/** What is a paragraph each. Inline content between others is one. */
function paragraphsOf(value: unknown): unknown[] {
  if (typeof value === 'string') return value.split(/\n\s*\n/, LIMITS.blocks + 1)
  if (!Array.isArray(value)) return [value]
  if (value.every((part) => typeof part === 'string')) return value
  return runsOf(value, (part) => Array.isArray(part) || blockTypeOf(part) !== undefined)
}

/** Who said it, and where: several members are one citation, and an address beside a name is where that leads. */
function readCitation(wire: Wire, reading: Reading): Inline[] {
  let citation: Inline[] = []
  for (const name of citationFields) {
    const more = readInlines(wire[name], reading)
    if (more.length === 0 || says(plainText(citation), plainText(more))) continue
    const value = wire[name]
    if (citation.length === 0) citation = more
    else if (typeof value === 'string' && isAddress.test(value))
      citation = [{ type: 'link', href: reading.address(name, value.trim()), children: citation }]
    else citation = [...citation, { type: 'text', text: ', ' }, ...more]
  }
  return citation
}

/** As HTML has it in the `cite` of a quote. */
const isAddress = /^\s*https?:\/\/\S+\s*$/i
