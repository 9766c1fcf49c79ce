import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvLine, escapeFormulas, unescapeFormulas } from '../src/lib/csv.ts'

const text = fc.string({ unit: fc.constantFrom('=', '+', '-', '@', "'", '"', ';', '\t', '\n', 'a', '＝') })

it('a text that a spreadsheet would take for a formula is read back as it was', () => {
  fc.assert(
    fc.property(text, (given) => {
      expect(unescapeFormulas(escapeFormulas(given))).toBe(given)
      expect(escapeFormulas(given)).not.toMatch(/^[=+\-@＝]|[;\t\n]"*[=+\-@＝]/)
    }),
  )
})

it('a line quotes what divides cells and lines', () => {
  expect(csvLine(['a,b', 'say "x"', 7, null, undefined, 'two\nlines'])).toBe(
    '"a,b","say ""x""",7,,,"two\nlines"\r\n',
  )
})
