import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatLabels, parseLabels } from '../src/lib/label-list.ts'

it.each([
  ['news, weekly', ['news', 'weekly']],
  [' news ,, news,', ['news']],
  ['"Press, local", weekly', ['Press, local', 'weekly']],
  ['weekly ,"Press, local" ', ['weekly', 'Press, local']],
  ['"The ""best"", of all"', ['The "best", of all']],
  ['5" screens, "late" news', ['5" screens', '"late" news']],
  ['"not closed, weekly', ['"not closed', 'weekly']],
  ['"", ,', []],
  ['news;client-1', ['news', 'client-1']],
  ['news; "Press; local", weekly', ['news', 'Press; local', 'weekly']],
  ['news\r\nweekly', ['news', 'weekly']],
])('%s is read as people mean it', (text, labels) => {
  expect(parseLabels(text)).toEqual(labels)
})

it('plain labels are written without quotes', () => {
  expect(formatLabels(['news', '5" screens', 'Press, local'])).toBe('news, 5" screens, "Press, local"')
})

/** A label as the API stores it, often of what separates and quotes. */
const label = fc
  .string({ unit: fc.oneof(fc.constantFrom(',', ';', '"', ' '), fc.string({ minLength: 1, maxLength: 1 })) })
  .map((text) => text.replace(/\p{Cc}/gu, '').trim())
  .filter((text) => text !== '')

it('whatever is written is read back as it was', () => {
  fc.assert(
    fc.property(fc.uniqueArray(label), (labels) => {
      expect(parseLabels(formatLabels(labels))).toEqual(labels)
    }),
  )
})
