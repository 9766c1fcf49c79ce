import { describe, expect, it, test } from 'vitest'
import {
  excerpt,
  pluralize,
  stripTags,
  trimEndOf,
  trimOf,
  truncate,
  withThousandsSeparators,
} from '../src/lib/text.ts'

describe('ways through a text', () => {
  it('take characters from its end alone', () => {
    expect(trimEndOf('https://a.example/b//', '/')).toBe('https://a.example/b')
    expect(trimEndOf('///', '/')).toBe('')
    expect(trimEndOf('Said. \n', '. \n')).toBe('Said')
  })

  it('take characters from both ends, and none from the middle', () => {
    expect(trimOf('--a--b-', '-')).toBe('a--b')
    expect(trimOf('----', '-')).toBe('')
  })

  it('cut between two characters, and never through one', () => {
    const faces = '😀'.repeat(3)
    expect([1, 2, 3, 4].map((length) => truncate(faces, length))).toEqual(['', '😀', '😀', '😀😀'])
    expect(truncate('ab\ud83d', 3)).toBe('ab\ud83d')
    expect(excerpt(`a${faces}`, 2)).toBe('a…')
  })

  it('take tags out of markup, and leave a bracket that opens none', () => {
    expect(stripTags('<p>a <b>b</b></p>')).toBe('a b')
    expect(stripTags('<p>a</p><p>b</p>', ' ')).toBe(' a  b ')
    expect(stripTags('1 < 2')).toBe('1 < 2')
    expect(stripTags('<<<<')).toBe('<<<<')
  })
})

test('whole numbers are written as English writes them', () => {
  const numbers = [0, 7, 999, 1_000, 60_000, 123_456_789, -1_234]
  expect(numbers.map(withThousandsSeparators)).toEqual(numbers.map((number) => number.toLocaleString('en')))
  expect([pluralize(1, 'category', 'categories'), pluralize(1_200, 'post')]).toEqual([
    '1 category',
    '1,200 posts',
  ])
})
