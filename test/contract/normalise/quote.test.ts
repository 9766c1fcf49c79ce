import { describe, expect, it } from 'vitest'
import { readQuote } from '../../../src/contract/normalise/blocks.ts'
import { createReading } from '../../../src/contract/normalise/reading.ts'

const words = (value: string) => [{ type: 'text', text: value }]
const read = (wire: Record<string, unknown>) => readQuote(wire, createReading())

describe('a quote', () => {
  it.each([
    ['a string', { value: 'a' }],
    ['inline content', { content: [{ type: 'text', text: 'a' }] }],
    ['a paragraph', { children: [{ type: 'paragraph', content: ['a'] }] }],
  ])('may be %s', (_name, wire) => {
    expect(read(wire)).toEqual([{ type: 'quote', paragraphs: [words('a')] }])
  })

  it.each([
    ['a string with a blank line', { value: 'a\n\nb' }],
    ['strings', { value: ['a', 'b'] }],
    ['arrays of inline content', { paragraphs: [['a'], ['b']] }],
    ['paragraph blocks', { content: ['a', 'b'].map((content) => ({ type: 'paragraph', content })) }],
  ])('may have several paragraphs as %s', (_name, wire) => {
    expect(read(wire)[0]?.paragraphs).toEqual([words('a'), words('b')])
  })

  it.each([
    ['Ada Lovelace', 'Ada', ['Ada Lovelace']],
    ['Adams', 'Ada', ['Adams', ', ', 'Ada']],
  ])('has who said it once, and whole: %s, %s', (author, source, citation) => {
    expect(read({ value: 'a', author, source })[0]?.citation).toEqual(citation.flatMap(words))
  })

  it.each(['citation', 'cite', 'author', 'attribution'])('has who said it under %s', (field) => {
    expect(read({ value: 'a', [field]: 'Ada' })[0]?.citation).toEqual(words('Ada'))
  })
})
