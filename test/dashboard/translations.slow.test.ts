import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { messagesOfServer } from '../../scripts/messages.ts'
import {
  type Catalogue,
  catalogues,
  missing,
  sentenceCatalogues,
  sentencesUpToDate,
  textsIn,
  textsOfPage,
  upToDate,
  written,
} from '../../scripts/translations.ts'

// Each reads all of the source.
const texts = textsOfPage()
const messages = messagesOfServer()

it('German is among the languages', () => {
  expect(readdirSync('dashboard/languages')).toContain('de.json')
})

describe.each(catalogues().map(([path, catalogue]) => [basename(path), catalogue] as const))(
  '%s',
  (_, catalogue) => {
    it('has every text of the page and of its tables, and none that is said no more', () => {
      expect(missing(upToDate(catalogue, texts))).toEqual([])
      expect(written(catalogue)).toBe(written(upToDate(catalogue, texts)))
    })

    it('keeps what is filled in, in each form', () => {
      const kept = (text: string) => (text.match(/%(\d\$)?[sd]|<\/?\w+( \/)?>/g) ?? []).sort()
      for (const [text, forms] of formsOf(catalogue)) {
        const english = text.split('\u0004').at(-1) ?? ''
        expect(forms, text).toHaveLength(texts.get(text) === undefined ? 1 : 2)
        for (const form of forms) expect(kept(form), text).toEqual(kept(english))
      }
    })
  },
)

describe.each(sentenceCatalogues().map(([path, sentences]) => [basename(path), sentences] as const))(
  'the sentences of the server in %s',
  (_, sentences) => {
    it('are those that people read on the page, and none that is said no more', () => {
      expect(sentences).toEqual(sentencesUpToDate(sentences))
      expect(Object.entries(sentences).filter(([, translation]) => translation === '')).toEqual([])
    })

    it('keep what is filled in', () => {
      const filledIn = (text: string): string[] => text.match(/\{[^{}]*\}/g) ?? []
      for (const [english, translation] of Object.entries(sentences)) {
        const left = filledIn(english)
        for (const name of filledIn(translation)) {
          expect(left, english).toContain(name)
          left.splice(left.indexOf(name), 1)
        }
      }
    })
  },
)

it.each([
  ['chosen from a table with a type behind it', 'The search found nothing: the document rests on'],
  [
    'of a catalogue of limits',
    'The document has more than {withThousandsSeparators} blocks, list items counted.',
  ],
  ['without a code', 'Galley failed internally and tries the job again.'],
  ['of a provider', '{who} is in trouble{said}.'],
  ['of a function whose code is worked out', 'This connect link has expired.'],
  ['with its subject elsewhere', 'Its featured image'],
])('a sentence %s is found', (_, sentence) => {
  expect(messages.filter(({ text }) => text.startsWith(sentence))).toHaveLength(1)
})

it('a text of a source is found with its plural and its context', () => {
  const source = `__('One', 'galley'); _n('%d site', '%d sites', n, 'galley'); _x('Post', 'verb', 'galley'); other('x')`
  expect([...textsIn(source)]).toEqual([
    ['One', undefined],
    ['%d site', '%d sites'],
    ['verb\u0004Post', undefined],
  ])
})

const formsOf = (catalogue: Catalogue) =>
  Object.entries(catalogue).filter((entry): entry is [string, string[]] => Array.isArray(entry[1]))
