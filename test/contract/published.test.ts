import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { documentDataSchema } from '../../src/contract/document.ts'
import { normaliseDocument } from '../../src/contract/normalise.ts'
import { renderSettingsSchema } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'
import { published } from './published.ts'

const page = readFileSync(new URL('../../docs/documents.md', import.meta.url), 'utf8')

/** What stands under `### name`, up to the next heading. */
const sectionOf = (name: string): string =>
  page.match(new RegExp(`^### ${name}\\n(.*?)(?=^##|(?![^]))`, 'ms'))?.[1] ?? ''

const kinds = published.map((one) => [one.kind, one] as const)
const examples = published.flatMap((one) => one.examples.map((example) => [one.kind, example] as const))

test.each(kinds)('%s has an example that its own schema takes', (_kind, { schema, examples }) => {
  expect(examples.length).toBeGreaterThan(0)
  for (const { example } of examples) expect(schema.safeParse(example)).toMatchObject({ success: true })
})

test.each(kinds)(
  'docs/documents.md shows %s with each of its fields and an example',
  (kind, { schema, examples }) => {
    const section = sectionOf(kind)
    const shown = [...section.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text]) =>
      JSON.parse(text as string),
    )
    // The whole document is shown before its parts.
    const whole = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text]) => JSON.parse(text as string))
    expect(kind === 'Document' ? whole : shown).toContainEqual(examples[0]?.example)
    const fields = Object.keys('shape' in schema ? (schema.shape as object) : {})
    const described = [...section.matchAll(/^\| (.+?) \|/gm)].map(([, cell]) => cell).join(' ')
    // What says which kind it is stands in the heading.
    const wanted = fields.filter((field) => field !== 'type' || kind === 'DocumentContent')
    expect(wanted.filter((field) => !described.includes(`\`${field}\``))).toEqual([])
  },
)

test('docs/documents.md describes nothing that is not published', () => {
  const sections = [...page.matchAll(/^### (.*)$/gm)].map(([, name]) => name)
  expect(sections).toEqual(expect.arrayContaining(published.map(({ kind }) => kind)))
  expect(sections.filter((name) => !published.some(({ kind }) => kind === name))).toEqual([])
})

test('docs/documents.md names every other spelling that is read', () => {
  const folder = new URL('../../src/contract/normalise/', import.meta.url)
  const source = readdirSync(folder)
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
    .join('\n')
  const fields = [...source.matchAll(/\bfirst(?:Text)?Member\(\w+, \[([^\]]*)\]/g)].map(([, list]) => list)
  const types = ['blockTypeSynonyms', 'inlineTypesAsBlocks', 'inlineTypes', 'listTypes'].map(
    (table) => source.match(new RegExp(`const ${table}\\b.*?\\{(.*?)^ *\\}`, 'ms'))?.[1],
  )
  expect(types).not.toContain(undefined)
  const spellings = [
    ...fields.flatMap((list) => [...(list ?? '').matchAll(/'(\w+)'/g)].map(([, name]) => name as string)),
    // Its own name, or the other words for it.
    ...types.flatMap((table) =>
      [...(table ?? '').matchAll(/\b(\w+): |(?<=\[|, )'(\w+)'/g)].map(
        ([, name, word]) => name ?? (word as string),
      ),
    ),
  ]
  expect(spellings.length).toBeGreaterThan(60)
  const said = (name: string) => page.includes(`\`${name}\``) || page.includes(`\n### ${name}\n`)
  expect([...new Set(spellings)].filter((name) => !said(name))).toEqual([])
})

test.each(examples)(
  'the example of %s is read as it stands, without a warning, and rendered',
  (_kind, { data }) => {
    const { document, warnings } = normaliseDocument(documentDataSchema.parse(data))
    expect(warnings).toEqual([])
    for (const format of ['block', 'classic'] as const) {
      const settings = renderSettingsSchema.parse({})
      const rendered = renderDocument(document, { format, settings, media: new Map() })
      expect(rendered.warnings).toEqual([])
      expect(rendered.markup).not.toBe('')
    }
  },
)
