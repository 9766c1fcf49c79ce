import { excerpt } from '../issues.ts'
import type { Heading } from '../tree.ts'
import { first, firstText, textOf, typeOf, type Wire } from './fields.ts'
import { readInlines } from './inline.ts'
import type { Reading } from './reading.ts'

/** Level as `2`, `"2"`, `"h2"` or by the type `h2`; text as a string or inline content. */
export function readHeading(wire: Wire, reading: Reading): Heading[] {
  const anchor = firstText(wire, ['anchor'])
  return [
    {
      type: 'heading',
      level: readLevel(wire, reading),
      content: readInlines(textOf(wire), reading),
      ...(anchor === undefined ? {} : { anchor: reading.line('anchor', anchor) }),
    },
  ]
}

function readLevel(wire: Wire, reading: Reading): Heading['level'] {
  const written = first(wire, ['level']) ?? typeOf(wire)
  const level = typeof written === 'string' ? Number(written.replace(/^h/i, '')) : written
  if (isLevel(level)) return level
  const nearest = typeof level === 'number' && level > 6 ? 6 : 2
  reading.warn(
    'heading_level',
    first(wire, ['level']) === undefined
      ? `the heading has no level; ${nearest} is used`
      : `heading level ${excerpt(wire.level)} is not 1 to 6; ${nearest} is used`,
  )
  return nearest
}

const isLevel = (level: unknown): level is Heading['level'] =>
  typeof level === 'number' && Number.isInteger(level) && level >= 1 && level <= 6
