import { describe, expect, it } from 'vitest'
import { findExcess, LIMITS } from '../../src/contract/limits.ts'
import { normaliseDocument } from '../../src/contract/normalise.ts'

const documentOf = (content: unknown[]) => ({
  title: 'T',
  description: undefined,
  audio_url: undefined,
  content: { audio_url: undefined, content },
})

/** A list inside a list, `depth` times. */
function listInList(depth: number): unknown {
  let list: unknown = { type: 'list', items: ['innermost'] }
  for (let level = 1; level < depth; level += 1)
    list = { type: 'list', items: [{ text: 'x', children: [list] }] }
  return list
}

describe('limits', () => {
  it('let lists nest to the limit', () => {
    expect(normaliseDocument(documentOf([listInList(LIMITS.listDepth)])).warnings).toEqual([])
  })

  it.each([LIMITS.listDepth + 1, 1_000, 100_000])('answer for %i lists inside each other', (depth) => {
    expect(() => normaliseDocument(documentOf([listInList(depth)]))).toThrow(
      expect.objectContaining({ code: 'document_too_deep', httpStatus: 422, action: 'permanent' }),
    )
  })

  it('answer for a hundred thousand formats inside each other', () => {
    let inline: unknown = 'text'
    for (let level = 0; level < 100_000; level += 1) inline = { type: 'bold', children: [inline] }
    expect(() => normaliseDocument(documentOf([{ type: 'paragraph', content: [inline] }]))).toThrow(
      expect.objectContaining({ code: 'document_too_deep' }),
    )
  })

  it('answer for too many blocks, list items counted', () => {
    const items = Array.from({ length: LIMITS.blocks }, () => 'item')
    expect(() => normaliseDocument(documentOf([{ type: 'list', items }]))).toThrow(
      expect.objectContaining({ code: 'document_too_many_blocks' }),
    )
  })

  it('answer for too much text', () => {
    expect(findExcess({ text: 'x'.repeat(LIMITS.textLength + 1) })).toMatchObject({
      code: 'document_too_long',
    })
    expect(findExcess({ text: 'x'.repeat(LIMITS.textLength) })).toBeUndefined()
  })
})
