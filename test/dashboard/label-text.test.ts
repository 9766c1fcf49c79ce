import fc from 'fast-check'
import { expect, it } from 'vitest'
import { labelsIn, labelText } from '../../dashboard/src/components/label-text.ts'

it.each([
  ['news, weekly', ['news', 'weekly']],
  [' news ,, news,', ['news']],
  ['"Press, local", weekly', ['Press, local', 'weekly']],
  ['weekly ,"Press, local" ', ['weekly', 'Press, local']],
  ['"The ""best"", of all"', ['The "best", of all']],
  ['5" screens, "late" news', ['5" screens', '"late" news']],
  ['"not closed, weekly', ['"not closed', 'weekly']],
  ['"", ,', []],
])('%s is read as people mean it', (text, labels) => {
  expect(labelsIn(text)).toEqual(labels)
})

it('plain labels are written without quotes', () => {
  expect(labelText(['news', '5" screens', 'Press, local'])).toBe('news, 5" screens, "Press, local"')
})

/** A label as the API stores it, often of what separates and quotes. */
const label = fc
  .string({ unit: fc.oneof(fc.constantFrom(',', '"', ' '), fc.string({ minLength: 1, maxLength: 1 })) })
  .map((text) => text.trim())
  .filter((text) => text !== '')

it('whatever is written is read back as it was', () => {
  fc.assert(
    fc.property(fc.uniqueArray(label), (labels) => {
      expect(labelsIn(labelText(labels))).toEqual(labels)
    }),
  )
})
