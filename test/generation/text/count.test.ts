import { count } from '@wordpress/wordcount'
import { describe, expect, it } from 'vitest'
import type { WireBlock } from '../../../src/contract/generation/results.ts'
import { assembleDocument } from '../../../src/generation/pipeline/document.ts'
import { countBlocks, lengthUnit, readingTime } from '../../../src/generation/pipeline/text/measure.ts'
import { metaDescription } from '../../../src/generation/pipeline/text/write-text.ts'
import { renderPost } from '../../support/generation/documents.ts'

const text = (words: string): WireBlock => ({ type: 'paragraph', content: [{ type: 'text', text: words }] })

const blocks: Record<string, WireBlock> = {
  'formats inside a word': {
    type: 'paragraph',
    content: [
      { type: 'text', text: 'un' },
      { type: 'bold', text: 'believ' },
      { type: 'italic', text: 'able' },
      { type: 'link', text: 'links', url: 'https://example.org/' },
      { type: 'code', text: 'a < b && c<d>e' },
    ],
  },
  'signs that are entities': text('R&D; costs < 5 > 3, AT&amp;T and &nbsp; it\u00a0is'),
  'dashes and punctuation': text('one—two -- three… “four” (five) 6,000 e.g. it’s'),
  brackets: text('[gallery] and [1] [[x]]'),
  'an address alone': text('https://example.org/a/b'),
  emoji: text('👍 well 👩‍👩‍👧 done 🇩🇪'),
  Japanese: text('潮は月の引力によって満ち干きする。ABC と 100 km'),
  Arabic: text('المدّ والجزر — كلَّ يومٍ؟'),
  'a heading': { type: 'heading', level: 3, text: 'Why & how <it> works' },
  'a list': { type: 'list', ordered: true, items: ['one two', 'three & four', 'five'] },
  'a table': {
    type: 'table',
    headers: ['a b', 'c'],
    rows: [
      ['d', ''],
      ['e f', 'g & h'],
    ],
  },
  code: { type: 'code_block', language: 'html', value: '<p class="x">\n  a &amp; b\n</p>\n\nlet x = [1]' },
  'a quotation': { type: 'quote', value: 'Said & done, twice' },
  'a picture': { type: 'image', url: 'https://example.org/a.jpg', alt: 'not counted', image_type: 'section' },
}

describe.each(Object.entries(blocks))('%s', (_, block) => {
  it.each(['words', 'characters'] as const)('counts as many %s as in its post', (unit) => {
    const type = unit === 'words' ? 'words' : 'characters_including_spaces'
    const all = [text('before it'), block, text('after it')]
    const { markup } = renderPost({
      title: 'A title',
      description: '',
      content: {
        type: 'document',
        version: '1.0',
        meta: { title: 'A title', slug: 'a', description: '', word_count: 0, reading_time: '' },
        content: all,
      },
      word_count: 0,
      reading_time: '',
    })
    expect(countBlocks(all, unit)).toBe(count(markup, type))
  })
})

it.each([
  ['How tides work', 'words'],
  ['潮の満ち引き', 'characters'],
  ['潮汐 explained: 潮汐是如何形成的', 'characters'],
  ['The Japanese word 津波 means a wave in a harbour', 'words'],
  ['밀물과 썰물은 왜 생기는가', 'words'],
  ['น้ำขึ้นน้ำลงเกิดจากอะไร', 'characters'],
  ['2026', 'words'],
] as const)('%s is counted in %s', (prompt, unit) => {
  expect(lengthUnit(prompt)).toBe(unit)
})

it.each([
  [2_000, 'words', '11 min read'],
  [20, 'words', '1 min read'],
  [2_000, 'characters', '4 min read'],
] as const)('%i %s are %s', (length, unit, expected) => {
  expect(readingTime(length, unit)).toBe(expected)
})

it.each([
  ['Why the Tide Comes Twice a Day?', 'why-the-tide-comes-twice-a-day'],
  ['Die Wärmepumpe im Altbau: R&D', 'die-wärmepumpe-im-altbau-rd'],
  ['हिन्दी में ज्वार', 'हिन्दी-में-ज्वार'],
  ['../../etc/passwd', 'etc-passwd'],
])('the slug of %s is %s, whose letters the site transliterates', (title, slug) => {
  const text = { title, description: '', parts: [], unit: 'words' as const, length: 0, pictures: [] }
  expect(assembleDocument(text, {}).content.meta.slug).toBe(slug)
})

describe('a description', () => {
  it('that is too short goes on with the text', () => {
    expect(
      metaDescription('Tides.', 'Water rises twice a day. It falls as often, everywhere. And more.'),
    ).toBe('Tides. Water rises twice a day. It falls as often, everywhere. And more.')
  })
  it('that is too long ends with a sentence, or else with a word', () => {
    const sentence = 'Water rises twice a day, and nobody in the harbour ever asks why. '
    expect(metaDescription(sentence.repeat(4), '')).toBe(sentence.repeat(2).trim())
    expect(metaDescription('word '.repeat(60), '')).toMatch(/^(word )+word…$/)
  })
})
