import { expect, test } from 'vitest'
import { formats } from '../../src/formats/index.ts'
import { fixtures } from '../support/formats.ts'

const objects = ['contentful', 'notion', 'editorjs', 'prosemirror', 'lexical']

test.each(objects)('documents of other projects in %s are found to be of it', (name) => {
  for (const { source, document } of fixtures(name)) {
    const found = formats.find((format) => format.detect(document))
    expect(found?.name, source).toBe(name)
  }
})

test('a document of ours is of no other format', () => {
  const content = [{ type: 'paragraph', content: 'The sea rises.' }]
  for (const document of [content, { content }, { type: 'document', version: '1.0', content }])
    expect(formats.find((format) => format.detect(document))?.name).toBeUndefined()
})
