import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { withGeneratedParts } from '../../scripts/documents/pages.ts'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { documentDataSchema } from '../../src/contract/webhook.ts'
import { renderSettingsSchema } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'
import { lossesOf } from '../../src/warnings.ts'
import { published } from './published.ts'

const page = readFileSync(new URL('../../docs/documents.md', import.meta.url), 'utf8')

const kinds = published.map((one) => [one.kind, one] as const)
const examples = published.flatMap((one) => one.examples.map((example) => [one.kind, example] as const))

test.each(kinds)('%s has an example that its own schema takes', (_kind, { schema, examples }) => {
  expect(examples.length).toBeGreaterThan(0)
  for (const { example } of examples) expect(schema.safeParse(example)).toMatchObject({ success: true })
})

test('docs/documents.md says what the definitions of blocks say', () => {
  expect(page).toBe(withGeneratedParts(page))
})

test.each(examples)(
  'the example of %s is read as it stands, without a warning, and rendered',
  (_kind, { data }) => {
    const { document, warnings } = normaliseDocument(documentDataSchema.parse(data))
    expect(warnings).toEqual([])
    for (const format of ['block', 'classic'] as const) {
      const settings = renderSettingsSchema.parse({})
      const rendered = renderDocument(document, { format, settings, media: new Map() })
      expect(lossesOf(rendered.warnings)).toEqual([])
      expect(rendered.markup).not.toBe('')
    }
  },
)
