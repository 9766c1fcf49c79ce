import type { Block, Inline } from '../tree.ts'
import { textOf, typeOf, type Wire } from './fields.ts'
import { readImage } from './image.ts'
import { readInlines } from './inline.ts'
import type { Reading } from './reading.ts'

/** Inline content under any of its names. A picture amid the text stands on its own, between two paragraphs. */
export function readParagraph(wire: Wire, reading: Reading): Block[] {
  const content = textOf(wire)
  if (!Array.isArray(content)) return [{ type: 'paragraph', content: readInlines(content, reading) }]
  const blocks: Block[] = []
  let run: Inline[] = []
  const flush = () => {
    reading.count()
    if (run.length > 0) blocks.push({ type: 'paragraph', content: run })
    run = []
  }
  for (const item of content) {
    if (typeOf(item) === 'image') {
      flush()
      blocks.push(...readImage(item as Wire, reading))
    } else for (const inline of readInlines(item, reading)) run.push(inline)
  }
  flush()
  return blocks.length > 0 ? blocks : [{ type: 'paragraph', content: [] }]
}
