import { describe, expect, it } from 'vitest'
import { stripTags, withoutEdges, withoutEnd } from '../src/text.ts'

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

  it('take tags out of markup, and leave a bracket that opens none', () => {
    expect(stripTags('<p>a <b>b</b></p>')).toBe('a b')
    expect(stripTags('<p>a</p><p>b</p>', ' ')).toBe(' a  b ')
    expect(stripTags('1 < 2')).toBe('1 < 2')
    expect(stripTags('<<<<')).toBe('<<<<')
  })
})
