import { describe, expect, it, test } from 'vitest'
import { beginning, counted, excerpt, grouped, stripTags, withoutEdges, withoutEnd } from '../src/text.ts'

describe('ways through a text', () => {
  it('take characters from its end alone', () => {
    expect(withoutEnd('https://a.example/b//', '/')).toBe('https://a.example/b')
    expect(withoutEnd('///', '/')).toBe('')
    expect(withoutEnd('Said. \n', '. \n')).toBe('Said')
  })

  it('take characters from both ends, and none from the middle', () => {
    expect(withoutEdges('--a--b-', '-')).toBe('a--b')
    expect(withoutEdges('----', '-')).toBe('')
  })

  it('cut between two characters, and never through one', () => {
    const faces = '😀'.repeat(3)
    expect([1, 2, 3, 4].map((length) => beginning(faces, length))).toEqual(['', '😀', '😀', '😀😀'])
    expect(beginning('ab\ud83d', 3)).toBe('ab\ud83d')
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
  expect(numbers.map(grouped)).toEqual(numbers.map((number) => number.toLocaleString('en')))
  expect([counted(1, 'category', 'categories'), counted(1_200, 'post')]).toEqual([
    '1 category',
    '1,200 posts',
  ])
})
