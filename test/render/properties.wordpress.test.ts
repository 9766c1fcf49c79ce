import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Document } from '../../src/blocks/document.ts'
import type { RenderOptions } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'
import { loadEditor } from '../support/editor.ts'
import { samples, seed } from '../support/random.ts'
import { wordpress } from '../support/wordpress/index.ts'
import { document } from './documents/documents.ts'
import { type Choices, choices, libraryOf } from './documents/options.ts'
import { documentPassages, hasPassages } from './documents/passages.ts'
import { documentWords } from './documents/words.ts'
import { savesAlike, withoutExceptions } from './exceptions.ts'

const numRuns = samples(1_000)
const { version, root } = wordpress()
const editor = loadEditor(root)

const optionsOf = (
  source: Document,
  { uploaded, ...given }: Choices,
  format: RenderOptions['format'],
): RenderOptions => ({
  ...given,
  format,
  media: uploaded ? libraryOf(source) : new Map(),
})

describe(`any document, in the editor of WordPress ${version}`, () => {
  it(`is valid, saved alike and read word for word (${numRuns} documents, GALLEY_TEST_SEED=${seed})`, () => {
    fc.assert(
      fc.property(document, choices, (source, given) => {
        const options = { ...optionsOf(source, given, 'block'), wordpressVersion: version }
        const { markup, footnotes } = renderDocument(source, options)
        const { valid, saved, invalid, migrated, read } = editor.judge(markup)
        expect({ valid, invalid, migrated }).toEqual({ valid: true, invalid: [], migrated: [] })
        if (savesAlike(version)) expect(withoutExceptions(saved)).toBe(withoutExceptions(markup))
        const { words, passages } = read()
        expect([...words, ...editor.notes(footnotes)]).toEqual(documentWords(source))
        if (hasPassages(source)) expect(passages).toEqual(documentPassages(source, options))
      }),
      { numRuns, seed },
    )
  }, 600_000)
})

describe('any document, as classic HTML', () => {
  it(`is read word for word (${numRuns} documents, GALLEY_TEST_SEED=${seed})`, () => {
    fc.assert(
      fc.property(document, choices, (source, given) => {
        const options = optionsOf(source, given, 'classic')
        const { words, passages } = editor.read(renderDocument(source, options).markup)
        expect(words).toEqual(documentWords(source))
        if (hasPassages(source)) expect(passages).toEqual(documentPassages(source, options))
      }),
      { numRuns, seed },
    )
  }, 600_000)
})
