import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxMarkupBytes } from '../../src/blocks/document.ts'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { renderSettingsSchema } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'
import { samples, seed } from '../support/random.ts'

/** Texts that become much longer than they are, in one place or another. */
const text = fc
  .tuple(
    fc.constantFrom(
      '[',
      '"',
      '&',
      '&#91;',
      '--',
      '<',
      '\u00a0',
      '\u3000',
      '{',
      'x',
      ' ',
      '\ud800',
      '\\',
      '\n\n',
      '%',
      '-',
      '',
    ),
    fc.nat(200),
    fc.constantFrom('', 'https://example.com/', '#', 'https://example.com/?&lt'),
  )
  .map(([passage, times, start]) => start + passage.repeat(times))

const { inline } = fc.letrec((tie) => ({
  inline: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.record(
      {
        type: fc.constantFrom('text', 'bold', 'italic', 'link', 'code', 'math', 'footnote', 'x'),
        text: fc.oneof(text, tie('inline'), fc.array(tie('inline'), { maxLength: 5 })),
        url: text,
        title: text,
        bold: fc.boolean(),
        italic: fc.boolean(),
        code: fc.boolean(),
      },
      { requiredKeys: ['text'] },
    ),
  ),
}))
const inlines = fc.array(inline, { maxLength: 5 })

const { item } = fc.letrec((tie) => ({
  item: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant({}),
    inline,
    fc.record({
      text: inlines,
      items: fc.array(tie('item'), { maxLength: 4 }),
      ordered: fc.boolean(),
      start: fc.maxSafeInteger(),
    }),
  ),
}))

/** LaTeX that becomes much more MathML than it is. */
const longFormula = fc
  .tuple(fc.constantFrom('>', "x'", 'a:', '&=\\\\', '\\AA', '\\color{red}x', '\\a'), fc.nat(300))
  .map(
    ([passage, times]) => `\\def\\a{${'x'.repeat(times)}}\\begin{align}${passage.repeat(times)}\\end{align}`,
  )

const block = fc.oneof(
  text,
  fc.record({ type: fc.constant('paragraph'), content: inlines }),
  fc.record({
    type: fc.constant('heading'),
    level: fc.integer({ min: 1, max: 6 }),
    text: inlines,
    anchor: text,
  }),
  fc.record({
    type: fc.constant('list'),
    ordered: fc.boolean(),
    start: fc.maxSafeInteger(),
    items: fc.array(item, { maxLength: 6 }),
  }),
  fc.record({
    type: fc.constant('table'),
    headers: fc.array(text, { maxLength: 30 }),
    rows: fc.array(
      fc.oneof(fc.constant({}), fc.array(inline, { maxLength: 5 }), fc.dictionary(fc.string(), text)),
      { maxLength: 30 },
    ),
    caption: inlines,
  }),
  fc.record({ type: fc.constant('table'), rows: fc.array(fc.dictionary(text, text), { maxLength: 5 }) }),
  fc.record({ type: fc.constant('weird'), values: fc.array(fc.double(), { maxLength: 50 }) }),
  fc.record({ type: fc.constant('code'), value: text, language: text }),
  fc.record({ type: fc.constant('image'), url: text, alt: text, caption: inlines, title: text }),
  fc.record({
    type: fc.constant('quote'),
    paragraphs: fc.oneof(text, fc.array(text, { maxLength: 5 })),
    citation: inlines,
  }),
  fc.record({ type: fc.constant('audio'), url: text }),
  fc.record({ type: fc.constant('math'), latex: fc.oneof(text, longFormula) }),
)

const widest = renderSettingsSchema.parse({
  outside_links_in_new_tab: true,
  outside_link_rel: ['nofollow', 'sponsored', 'ugc', 'noopener', 'noreferrer', 'external'],
  image_size: 'medium_large',
  image_link: 'media',
  more_after: 1,
})

describe.each(['block', 'classic'] as const)(
  `what a document becomes, as %s (GALLEY_TEST_SEED=${seed})`,
  (format) => {
    it.each([{ settings: renderSettingsSchema.parse({}) }, { settings: widest }])(
      'is not more than was counted where it was received',
      ({ settings }) => {
        fc.assert(
          fc.property(fc.array(block, { maxLength: 8 }), (content) => {
            const normalised = normaliseDocument({
              title: 'T',
              description: undefined,
              audio_url: undefined,
              content: { audio_url: undefined, content },
            })
            const { markup } = renderDocument(normalised.document, { format, media: new Map(), settings })
            expect(Buffer.byteLength(markup)).toBeLessThanOrEqual(maxMarkupBytes(normalised))
          }),
          { numRuns: samples(2_000), seed },
        )
      },
    )
  },
)

describe('hostile documents', () => {
  it('are read and rendered, or refused, with 128 MB for all of Galley', () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        '--max-old-space-size=128',
        '--import',
        'tsx',
        new URL('hostile-documents.ts', import.meta.url).pathname,
      ],
      { encoding: 'utf8' },
    )
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      'a table of 49 million cells': 'document_too_many_cells',
      'a thousand tables as large as one may be': 'document_too_many_values',
      'ten megabytes of empty objects': 'document_too_many_values',
      'ten megabytes of numbers': 'document_too_many_values',
      'lists in lists': 'document_too_deep',
      'arrays in arrays': 'document_too_many_values',
      'formats in formats, with code at each level': 'document_too_deep',
      'types of a million characters': 'document_too_many_blocks',
      'a quote of a million paragraphs': 'document_too_many_blocks',
      'two million brackets': 'document_markup_too_long',
      'two million quotation marks in alternative text': 'document_alt_too_long',
      'links that are all said to be unsafe': 'document_too_many_blocks',
      'half a million links': 'document_too_many_inlines',
    })
  })
})
