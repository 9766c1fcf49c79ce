import fc from 'fast-check'
import pMap from 'p-map'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Document } from '../../src/blocks/document.ts'
import { renderDocument } from '../../src/render/render.ts'
import { loadEditor } from '../support/editor.ts'
import { samples, seed } from '../support/random.ts'
import { rest, wordpress } from '../support/wordpress/index.ts'
import { document } from './documents/documents.ts'
import { type Choices, choices, libraryOf } from './documents/options.ts'
import { documentWords } from './documents/words.ts'
import { postAs } from './posted.ts'

const numRuns = samples(500)
/** Documents of one post: WordPress takes about as long for one as for a hundred. */
const perPost = 100

const { version, root } = wordpress()
const editor = loadEditor(root)

/** Random documents by the post that carries them. */
function postfuls(count: number): [Document, Choices][][] {
  const documents = fc.sample(fc.tuple(document, choices), { numRuns: count, seed })
  return Array.from({ length: Math.ceil(count / perPost) }, (_, index) =>
    documents.slice(index * perPost, (index + 1) * perPost),
  )
}

/** @param notes where they go; the meta of one post cannot have those of many documents */
const markupOf = (
  documents: [Document, Choices][],
  format: 'block' | 'classic',
  notes: 'meta' | 'list' = 'list',
): string =>
  documents
    .map(([source, { uploaded, settings, ...given }]) => {
      const media = uploaded ? libraryOf(source) : new Map()
      // one break a post is what WordPress knows
      const options = {
        ...given,
        settings: { ...settings, more_after: null },
        media,
        footnotes: notes,
        wordpressVersion: version,
      }
      return renderDocument(source, { ...options, format }).markup
    })
    .filter((markup) => markup !== '')
    .join('\n\n')

/**
 * Words by their letters and digits. What WordPress shows differs from what is stored in quotation marks, dashes, dots
 * and the sign of multiplication (`wptexturize`): those are left out.
 */
const letters = (words: string[]): string[] =>
  words
    .map((word) =>
      word
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]/gu, '')
        .replace(/(?<=\d)x(?=\d)/g, ''),
    )
    .filter((word) => word.length > 1)

/** Whether the site shows `8O` and its like as pictures, which would hide text that is there. */
const showSmileys = (use_smilies: boolean) =>
  rest('administrator', 'POST', '/wp/v2/settings', { use_smilies })

beforeAll(() => showSmileys(false))
afterAll(() => showSmileys(true))

describe(`any document, posted by an author to WordPress ${version} (GALLEY_TEST_SEED=${seed})`, () => {
  it(`is still valid after kses (${numRuns} documents)`, async () => {
    const verdicts = await pMap(
      postfuls(numRuns),
      async (documents) => editor.judge((await postAs('author', markupOf(documents, 'block', 'meta'))).raw),
      { concurrency: 2 },
    )
    expect(verdicts.flatMap(({ invalid }) => invalid)).toEqual([])
    expect(verdicts.flatMap(({ migrated }) => migrated)).toEqual([])
  }, 600_000)

  it.each(['block', 'classic'] as const)(
    'shows all its text and no other, attributes included, as %s',
    async (format) => {
      for (const documents of postfuls(numRuns)) {
        const markup = markupOf(documents, format)
        const { rendered } = await postAs('author', markup)
        const source = documents.flatMap(([document]) => documentWords(document))
        expect(letters(editor.read(rendered).words)).toEqual(letters(source))
        // WordPress spells its own name its own way everywhere, `capital_P_dangit`
        const written = editor.read(markup.replaceAll('Wordpress', 'WordPress'))
        expect(editor.read(rendered.replaceAll('Wordpress', 'WordPress')).attributes).toEqual(
          written.attributes,
        )
      }
    },
    600_000,
  )
})
