import { LIMITS } from '../limits.ts'
import type { Inline, Quote } from '../tree.ts'
import { first, textFields, typeOf, type Wire } from './fields.ts'
import { readInlines } from './inline.ts'
import { plainText } from './plain-text.ts'
import type { Reading } from './reading.ts'

/** One paragraph or several, and who said it. A blank line inside a string parts two paragraphs. */
export function readQuote(wire: Wire, reading: Reading): Quote[] {
  const citation = readInlines(first(wire, ['citation', 'cite', 'author', 'attribution', 'source']), reading)
  return [
    {
      type: 'quote',
      paragraphs: readParagraphs(first(wire, ['paragraphs', ...textFields]), reading),
      ...(citation.length > 0 ? { citation } : {}),
    },
  ]
}

function readParagraphs(value: unknown, reading: Reading): Inline[][] {
  if (typeof value === 'string')
    return value.split(/\n\s*\n/, LIMITS.blocks + 1).map((text) => {
      reading.count()
      return readInlines(text, reading)
    })
  if (!Array.isArray(value)) return [readInlines(value, reading)]
  const severalParagraphs = value.some((part) => Array.isArray(part) || isBlock(part)) || value.every(isText)
  if (!severalParagraphs) return [readInlines(value, reading)]
  return value.map((part) => {
    reading.count()
    if (!isBlock(part)) return readInlines(part, reading)
    if (typeOf(part) === 'paragraph') return readInlines(first(part as Wire, textFields), reading)
    reading.warn('quote_flattened', `a ${typeOf(part)} inside a quote is kept as its text`)
    return readInlines(plainText(part), reading)
  })
}

const isText = (part: unknown): boolean => typeof part === 'string'

const blockTypes = new Set(['paragraph', 'heading', 'list', 'table', 'code_block', 'image', 'quote'])
const isBlock = (part: unknown): boolean => blockTypes.has(typeOf(part) ?? '')
