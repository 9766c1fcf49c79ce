import { describe, expect, it } from 'vitest'
import { documentIdSchema, nameDocument } from '../../src/contract/scalars.ts'

const account = '0d9f3c1e-6a57-4c55-9c8b-3f1f6c9f2a10'

describe('the id of a document', () => {
  it.each([
    ['article-42', 'article-42'],
    [4711, '4711'],
    ['4711', '4711'],
    [0, '0'],
    ['  article 42 ', 'article 42'],
    ['https://cms.example/?p=42&lang=de', 'https://cms.example/?p=42&lang=de'],
    ['Ебб-и-прилив', 'Ебб-и-прилив'],
    ['潮汐 📰', '潮汐 📰'],
    ['cafe\u0301', 'caf\u00e9'],
    ['x'.repeat(255), 'x'.repeat(255)],
    ['0D9F3C1E-6A57-4C55-9C8B-3F1F6C9F2A10', account],
  ])('is read: %j', (written, id) => {
    expect(documentIdSchema.parse(written)).toBe(id)
  })

  it.each([
    [''],
    ['  '],
    ['x'.repeat(256)],
    ['two\nlines'],
    ['\0'],
    ['\ud800'],
    ['\u202eabc'],
    [2 ** 53],
    [4.5],
    [true],
    [null],
    [{}],
  ])('is refused: %j', (written) => {
    expect(documentIdSchema.safeParse(written).success).toBe(false)
  })

  it('that is a UUID names the document; any other is its reference', () => {
    expect(nameDocument(account, account)).toEqual({ documentId: account, reference: null })
    // As Python’s uuid.uuid5 makes it.
    expect(nameDocument(account, 'article-42')).toEqual({
      documentId: 'd87d1e05-defa-58d8-8fc0-6794130bee41',
      reference: 'article-42',
    })
  })

  it('is another document in another account, and with another case', () => {
    const uuids = [
      nameDocument(account, 'article-42'),
      nameDocument('5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11', 'article-42'),
      nameDocument(account, 'Article-42'),
    ].map(({ documentId }) => documentId)
    expect(new Set(uuids).size).toBe(3)
  })
})
