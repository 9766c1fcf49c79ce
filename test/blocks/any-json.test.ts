import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blockExamples, blocksByName, inlinesByName } from '../../src/blocks/index.ts'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { plainText } from '../../src/blocks/wire.ts'
import { documentDataSchema } from '../../src/contract/webhook.ts'
import { renderSettingsSchema } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'
import { documentWords } from '../render/documents/words.ts'
import { hostileLeaves, hostileNames, nativeCode } from '../support/hostile-json.ts'
import { sampleOf, samples, seed } from '../support/random.ts'

const read = (blocks: unknown[]) =>
  normaliseDocument(documentDataSchema.parse({ title: 'T', content: { content: blocks } }))

const settings = renderSettingsSchema.parse({})

const markupOf = (blocks: unknown[]): string =>
  renderDocument(read(blocks).document, { format: 'block', settings, media: new Map() }).markup

const types = [...new Set([...blocksByName.keys(), ...inlinesByName.keys()])]
/** Every name under which a block or what is in it has something. */
const names = [
  ...new Set([...blocksByName.values()].flatMap((definition) => Object.values(definition.names).flat())),
  ...['marks', 'attrs', 'data', 'props', 'meta', 'note', 'checked', 'rowspan', 'colspan', 'header', 'bold'],
]

/** What the language makes of a value that is taken for a text or a number. */
const notWords = /\[native code\]|\[object \w+\]|\bNaN\b|\bundefined\b/

/** The words of a value, but for those of members that every object has. */
const wordsOf = (value: unknown): string =>
  plainText(JSON.parse(JSON.stringify(value, (name, member) => (name in {} ? undefined : member)))).trim()

const word = fc.stringMatching(/^[a-z]{1,8}$/)

/** One text in any of the ways that the contract leaves open (docs/contract.md), with the words that it says. */
const inline: fc.Arbitrary<{ wire: unknown; words: string[] }> = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 3 }), fc.nat(8))
  .map(([words, way]) => {
    const text = words.join(' ')
    const ways = [
      text,
      { text },
      { type: 'text', value: text },
      { kind: 'text', content: text },
      { type: 'bold', children: [{ type: 'italic', text }] },
      { text, bold: true },
      { type: 'link', href: 'https://example.com/', content: [text] },
      { type: 'code', value: text },
      { type: 'never-heard-of', text },
    ]
    return { wire: [ways[way], ' '], words }
  })

const block = fc.tuple(fc.array(inline, { minLength: 1, maxLength: 3 }), fc.nat(9)).map(([parts, way]) => {
  const wires = parts.map(({ wire }) => wire)
  const ways = [
    { type: 'paragraph', content: wires },
    { type: 'paragraph', children: wires },
    { type: 'heading', level: 'h3', text: wires },
    { type: 'list', style: 'ordered', items: wires },
    { type: 'list', items: wires.map((content) => ({ content })) },
    { type: 'list', items: [{ text: wires[0], items: wires.slice(1) }] },
    { type: 'table', headers: wires, rows: [] },
    { type: 'table', headers: [], rows: [{ cells: wires }] },
    { type: 'quote', value: wires },
    { type: 'callout', text: wires },
  ]
  return { wire: ways[way], words: parts.flatMap(({ words }) => words) }
})

describe(`whatever a sender writes (GALLEY_TEST_SEED=${seed})`, () => {
  it('keeps every word, in order, however it is written', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 4 }), (blocks) => {
        const { document } = read(blocks.map(({ wire }) => wire))
        expect(documentWords(document)).toEqual(blocks.flatMap(({ words }) => words))
      }),
      { numRuns: samples(1_000), seed },
    )
  })

  it.each(blockExamples)('%s has any value under each of its names', (type, example) => {
    const names = Object.values(blocksByName.get(type)?.names ?? {}).flat()
    const wrong = names.flatMap((name) =>
      hostileLeaves.flatMap((leaf) => [
        { [name]: leaf },
        { [name]: [{ text: 'two words', url: leaf, items: leaf, align: leaf }] },
      ]),
    )
    for (const members of sampleOf(wrong)) {
      const blocks = [
        { ...example, ...members },
        { type, ...members },
      ]
      expect(markupOf(blocks), JSON.stringify(members)).not.toMatch(notWords)
    }
  })

  it.each([...inlinesByName.keys()])('a text of the type %s has any value under any name', (type) => {
    for (const name of sampleOf(names)) {
      const items = hostileLeaves.flatMap((leaf) => [
        { type, [name]: leaf },
        { type, text: 'x', url: 'https://example.com/', [name]: leaf },
      ])
      expect(markupOf([{ type: 'paragraph', content: ['a ', ...items] }]), name).not.toMatch(notWords)
    }
  })

  it('is read without an exception, whatever stands under whichever name', () => {
    const { value: anything } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(...hostileLeaves),
        fc.oneof(fc.constantFrom(...types), fc.string()),
        fc.array(tie('value'), { maxLength: 3 }),
        fc
          .tuple(
            fc.constantFrom(...types, undefined),
            fc.dictionary(fc.constantFrom('type', ...names, ...hostileNames), tie('value'), { maxKeys: 4 }),
          )
          .map(([type, members]) => ({ ...members, ...(type && { type }) })),
      ),
    }))
    fc.assert(
      fc.property(anything, (value) => {
        expect(markupOf([JSON.parse(JSON.stringify(value))])).not.toMatch(nativeCode)
      }),
      { numRuns: samples(4_000), seed },
    )
  })

  it('is read without an exception, and words that leave nothing leave a warning', () => {
    const names = fc.constantFrom(
      'type',
      'text',
      'content',
      'items',
      'rows',
      'url',
      'level',
      'headers',
      'style',
      'alt',
      'language',
      '__proto__',
      'toString',
    )
    const types = fc.constantFrom(
      'paragraph',
      'heading',
      'list',
      'table',
      'gallery',
      'quote',
      'image',
      'code_block',
      'link',
    )
    const { value: anything } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.oneof(types, fc.string(), fc.boolean(), fc.constant(null)),
        fc.constant({ toString: null }),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(names, tie('value'), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(anything, (value) => {
        const { document, warnings } = read([JSON.parse(JSON.stringify(value))])
        const left = document.blocks.length + warnings.length
        expect(left > 0 || wordsOf(value) === '').toBe(true)
      }),
      { numRuns: samples(2_000), seed },
    )
  })
})
