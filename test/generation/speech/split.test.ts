import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitText as pieces } from '../../../src/generation/pipeline/sentences.ts'

const split = (...text: Parameters<typeof pieces>) => [...pieces(...text)]
const rejoined = (cut: string[]) => cut.join('')

test('a text is cut between sentences, each piece as long as can be', () => {
  const text = 'One is here. Two is here. Three is here. Four is here.'
  expect(split(text, 30, 'en-US')).toEqual(['One is here. Two is here. ', 'Three is here. Four is here.'])
})

test('a text that fits is one piece', () => {
  expect(split('Short. Text.', 12, 'en-US')).toEqual(['Short. Text.'])
  expect(split('', 12, 'en-US')).toEqual([])
})

test.each([
  ['en-US', 'We asked Dr. Smith about it today. He knew it. ', 'He'],
  ['de-DE', 'Das sagte Prof. Meier uns am Abend. Er wusste es. ', 'Er'],
  ['ja-JP', '今日は天気がとても良いですね。散歩に行きましょう。', '散歩'],
  ['zh-CN', '今天天气很好，我们去散步吧！你想一起去吗？', '你想'],
  ['ar-SA', 'كيف حالك اليوم يا صديقي العزيز؟ أنا بخير والحمد لله. ', 'أنا'],
  ['hi-IN', 'आज मौसम बहुत अच्छा है। चलो टहलने चलें। ', 'चलो'],
])('a sentence of %s ends where its readers see it end', (language, text, second) => {
  const first = text.indexOf(second)
  // Room for the first sentence and half of the second.
  expect(split(text, first + 6, language)[0]).toBe(text.slice(0, first))
})

test('a sentence that is too long is cut after a clause, and then between words', () => {
  const text = 'When it rained, which it did in 1,000 villages, nobody came at all. Nobody did.'
  const pieces = split(text, 33, 'en-US')
  expect(pieces).toEqual([
    'When it rained, ',
    'which it did in 1,000 villages, ',
    'nobody came at all. Nobody did.',
  ])
  expect(split('these are only words without any end', 12, 'en-US')).toEqual([
    'these are ',
    'only words ',
    'without any ',
    'end',
  ])
})

test('a word that is too long is cut between characters as readers see them', () => {
  const family = '👨‍👩‍👧‍👦'
  expect(split(family.repeat(5), family.length * 2 + 3, 'en-US')).toEqual([
    family.repeat(2),
    family.repeat(2),
    family,
  ])
  // One character that is longer than the limit: between code points at least.
  const stacked = `a${'\u0301'.repeat(9)}`
  expect(rejoined(split(stacked, 4, 'en-US'))).toBe(stacked)
})

test('a sentence that begins long before the limit is found', () => {
  const text = `The first one ends here. ${'word '.repeat(500)}`
  expect(split(text, 2_000, 'en-US')[0]).toBe('The first one ends here. ')
})

const words = fc.oneof(
  fc.constantFrom(
    '. ',
    '! ',
    '? ',
    ', ',
    '。',
    '，',
    '؟ ',
    '\n\n',
    '\r\n',
    ' ',
    'Dr. ',
    '1,000',
    '👩‍🚀',
    '🇫🇷',
    'e\u0301',
    '\u0301',
    '한',
    '"',
    '(',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)

test('every character is in one piece, in order, whatever the text and the limit', () => {
  fc.assert(
    fc.property(
      fc.array(words, { maxLength: 120 }).map((parts) => parts.join('')),
      fc.integer({ min: 2, max: 150 }),
      fc.constantFrom('en-US', 'de-DE', 'ja-JP', 'zh-CN', 'ar-SA', 'xx'),
      (text, limit, language) => {
        const pieces = split(text, limit, language)
        expect(rejoined(pieces)).toBe(text)
        for (const piece of pieces) {
          expect(piece.length).toBeGreaterThan(0)
          expect(piece.length).toBeLessThanOrEqual(limit)
          expect(piece).not.toMatch(/\p{Surrogate}/u)
        }
      },
    ),
  )
})

test('no character as readers see it is cut, where the limit has room for it', () => {
  const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  fc.assert(
    fc.property(
      fc.array(words, { maxLength: 80 }).map((parts) => parts.join('')),
      fc.integer({ min: 20, max: 100 }),
      (text, limit) => {
        const whole = new Set([...graphemes.segment(text)].map(({ index }) => index))
        const longest = Math.max(0, ...[...graphemes.segment(text)].map(({ segment }) => segment.length))
        fc.pre(longest <= limit)
        let at = 0
        for (const piece of split(text, limit, 'en-US')) {
          if (at > 0) expect(whole.has(at), JSON.stringify([text, at])).toBe(true)
          at += piece.length
        }
      },
    ),
  )
})

test('what stands at the beginning of the place that is searched is no sentence', () => {
  // No sentence ends after an abbreviation, and so none begins.
  expect(split(`x${'e.g. '.repeat(1_000)}`, 3_000, 'en-US').map(({ length }) => length)).toEqual([
    2_996, 2_005,
  ])
})

test('a text made to be slow is cut all the same', () => {
  for (const unit of ['«', '(', '"', 'a@', '.', ' ', '\n', "'"]) {
    const text = unit.repeat(20_000 / unit.length)
    expect(rejoined(split(text, 3_000, 'en-US'))).toBe(text)
  }
})
