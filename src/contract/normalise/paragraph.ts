import type { Block } from '../tree.ts'
import { blockTypeOf } from './block-type.ts'
import { textOf, type Wire } from './fields.ts'
import { readImage } from './image.ts'
import { readInlines } from './inline.ts'
import { sayBlockPassedOver } from './passed-over.ts'
import type { Reading } from './reading.ts'
import { runsOf } from './runs.ts'

/** Inline content under any of its names. A picture amid the text stands on its own, between two paragraphs. */
export function readParagraph(wire: Wire, reading: Reading): Block[] {
  const content = textOf(wire)
  const blocks: Block[] = []
  for (const [index, part] of runsOf(Array.isArray(content) ? content : [content], isPicture).entries()) {
    if (index > 0) reading.count()
    if (isPicture(part)) {
      const read = readImage(part, reading)
      sayBlockPassedOver(part, 'image', read, reading)
      for (const block of read) blocks.push(block)
      continue
    }
    const run = readInlines(part, reading)
    if (run.length > 0) blocks.push({ type: 'paragraph', content: run })
  }
  return blocks.length > 0 ? blocks : [{ type: 'paragraph', content: [] }]
}

const isPicture = (value: unknown): value is Wire => blockTypeOf(value) === 'image'
