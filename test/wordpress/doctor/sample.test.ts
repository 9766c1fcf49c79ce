import { describe, expect, test } from 'vitest'
import { checkSampleMarkup } from '../../../src/wordpress/doctor/probes/draft.ts'
import { sampleTexts } from '../../../src/wordpress/doctor/probes/temporary-draft.ts'

describe.each(Object.values(sampleTexts))('in $format markup', (sample) => {
  const { blocks, whole } = sample

  test('a site that stores every block is told so', () => {
    expect(checkSampleMarkup(sample, whole)).toMatchObject({ level: 'ok' })
  })

  // A line between blocks has neither words nor an address.
  test.each([...blocks].filter(([name]) => name !== 'separator'))(
    'a site that removes each %s is told so by its name',
    (name, markup) => {
      const { level, seen } = checkSampleMarkup(sample, whole.replace(markup, ''))
      expect(level).toBe('warning')
      expect(seen).toContain(`these parts of it: ${name}.`)
    },
  )

  test('a site that removes the comments that mark blocks is told so, unless none were sent', () => {
    const { level, seen } = checkSampleMarkup(sample, whole.replace(/<!--.*?-->\n?/g, ''))
    const isTold = seen === 'The site removes the comments that mark blocks.'
    expect([level, isTold]).toEqual(sample.format === 'block' ? ['warning', true] : ['ok', false])
  })
})
