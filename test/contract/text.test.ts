import { describe, expect, it } from 'vitest'
import { singleLineText } from '../../src/contract/scalars.ts'

describe('a text of one line', () => {
  it.each([
    ['turned over', 'Ann \u202egnp.exe', 'direction of text'],
    ['isolated', 'Ann \u2067and others', 'direction of text'],
    ['in two lines', 'Ann\nBen', 'control character'],
  ])('is refused where it is %s', (_, text, why) => {
    expect(singleLineText(100).safeParse(text).error?.issues[0]?.message).toContain(why)
  })

  it('may be of any script, and have what emoji and scripts are joined with', () => {
    for (const text of ['אבג and Ann', 'می\u200cخواهم', '👩\u200d👩\u200d👧', 'a\u200fb'])
      expect(singleLineText(100).parse(text)).toBe(text)
  })
})
