import { expect, test } from 'vitest'
import { checkSampleMarkup } from '../../../src/wordpress/doctor/probes/draft.ts'
import { allSampleBlocks, sampleBlocks } from '../../../src/wordpress/doctor/probes/temporary-draft.ts'

test('a site that stores every block is told so', () => {
  expect(checkSampleMarkup(allSampleBlocks)).toMatchObject({ level: 'ok' })
})

// A line between blocks has neither words nor an address.
test.each([...sampleBlocks].filter(([name]) => name !== 'separator'))(
  'a site that removes each %s is told so by its name',
  (name, markup) => {
    const { level, seen } = checkSampleMarkup(allSampleBlocks.replace(markup, ''))
    expect(level).toBe('warning')
    expect(seen).toContain(`these parts of it: ${name}.`)
  },
)
