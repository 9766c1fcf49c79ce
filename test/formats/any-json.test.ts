import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normaliseDocument } from '../../src/blocks/read.ts'
import type { ContentFormat } from '../../src/contract/delivery.ts'
import { LimitError } from '../../src/contract/limits.ts'
import { documentDataSchema } from '../../src/contract/webhook.ts'
import { translate } from '../../src/formats/translate.ts'
import { renderSettingsSchema } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'
import { hostileChange, hostileNames, nativeCode, withChanges } from '../support/hostile-json.ts'
import { samples, seed } from '../support/random.ts'

const documentsOf = (format: string): { document?: unknown; text?: string }[] =>
  JSON.parse(readFileSync(`test/fixtures/formats/${format.replace('_', '-')}/documents.json`, 'utf8'))

const settings = renderSettingsSchema.parse({})

/** The whole way from a document to its markup. What is beyond a limit is refused by name. */
function publish(content: unknown, contentFormat: ContentFormat): string {
  try {
    const { data } = translate({ title: 'T', content }, { contentFormat })
    const { success, data: ours } = documentDataSchema.safeParse(data)
    if (!success) return ''
    return renderDocument(normaliseDocument(ours).document, { format: 'block', settings, media: new Map() })
      .markup
  } catch (error) {
    if (error instanceof LimitError) return ''
    throw error
  }
}

const change = hostileChange([
  ...['type', 'text', 'content', 'children', 'marks', 'attrs', 'data', 'url', 'level', 'style', 'format'],
])
const changes = fc.array(fc.tuple(fc.nat(), change), { minLength: 1, maxLength: 3 })

const jsonFormats = ['contentful', 'editorjs', 'lexical', 'notion', 'portable_text', 'prosemirror'] as const

/** A document of a few neighbours in each list: a long one takes long, and shows no more of one change. */
const partOf = (document: unknown, at: number): unknown =>
  JSON.parse(JSON.stringify(document), (_, value) => {
    if (!Array.isArray(value) || value.length <= 8) return value
    const start = at % (value.length - 7)
    return value.slice(start, start + 8)
  })

describe(`whatever stands in a document of another format (GALLEY_TEST_SEED=${seed})`, () => {
  it.each(jsonFormats)('%s is read without an exception', (format) => {
    const documents = documentsOf(format).map(({ document }) => document)
    fc.assert(
      fc.property(fc.constantFrom(...documents), fc.nat(), changes, (document, at, changes) => {
        const changed = withChanges(partOf(document, at), changes)
        expect(publish(changed, format)).not.toMatch(nativeCode)
      }),
      { numRuns: samples(1_500), seed },
    )
  })

  const pieces = [
    ...[
      '<constructor>',
      '</constructor>',
      '<constructor><p>',
      '<p constructor="x" __proto__="y">',
      '<ol type>',
    ],
    ...[
      '<table><tr><td colspan="constructor">',
      '<a href="constructor">',
      '<img src="" width="1e400">',
      '<pre>',
    ],
    ...[
      '<div class="constructor" align="constructor" style="text-align: constructor">',
      '<math><annotation>',
    ],
    ...[
      '[^constructor]',
      '[^__proto__]: x',
      '[constructor]: __proto__',
      '*[__proto__]: x',
      '```constructor\n',
    ],
    ...[
      '\n> [!constructor]\n',
      '- [x] ',
      '\n---\n',
      '| a | b |\n|--|:--|\n',
      '$$',
      '\\',
      '&constructor;',
      '&#0;',
    ],
  ]
  const frontMatter = fc
    .array(
      fc.tuple(
        fc.constantFrom(
          'title',
          'draft',
          'published',
          'publish_at',
          'date',
          'tags',
          'image',
          ...hostileNames,
        ),
        fc.constantFrom(
          ...['*x', '&a [*a]', '{ toString: null }', '[[]]', '!!binary x', '!!set {a}', '? ', '"'],
        ),
      ),
    )
    .map((members) => `---\n${members.map(([name, value]) => `${name}: ${value}\n`).join('')}---\n`)

  it.each(['html', 'markdown'] as const)('%s is read without an exception', (format) => {
    const texts = documentsOf(format).map(({ text = '' }) => text.slice(0, 3_000))
    const inserts = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...pieces)), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(frontMatter, fc.constantFrom(...texts), inserts, (head, text, inserts) => {
        const changed = inserts.reduce((all, [at, piece]) => {
          const cut = at % (all.length + 1)
          return all.slice(0, cut) + piece + all.slice(cut)
        }, text)
        expect(publish(head + changed, format)).not.toMatch(nativeCode)
      }),
      { numRuns: samples(600), seed },
    )
  })
})
