import { readFileSync } from 'node:fs'
import { micromark } from 'micromark'
import { gfm, gfmHtml } from 'micromark-extension-gfm'
import { describe, expect, test } from 'vitest'
import { formats } from '../../src/formats/index.ts'
import { type Counted, countBlocks, countHtml, missing } from './counts.ts'

interface RealDocument {
  name: string
  source: string
  text: string
}

const readDocuments = (format: string): RealDocument[] =>
  JSON.parse(readFileSync(`test/fixtures/formats/${format}/documents.json`, 'utf8'))

const github = { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] }

/** Each format, and what counts its documents without the code under test. */
const counters: Record<string, (text: string) => Counted> = {
  html: countHtml,
  markdown: (text) => countHtml(micromark(text, github)),
}

describe.each(Object.keys(counters))('real documents in %s', (format) => {
  const documents = readDocuments(format)
  const adapter = formats.find(({ name }) => name === format)

  test('are at least thirty', () => expect(documents.length).toBeGreaterThanOrEqual(30))

  test.each(documents)('$name keeps every word, link and picture, or says so', ({ text }) => {
    expect(formats.find(({ detect }) => detect(text))?.name).toBe(format)
    const before = counters[format]?.(text) as Counted
    const { content, warnings } = adapter?.read(text) ?? { content: [], warnings: [] }
    const after = countBlocks(content)
    const said = warnings.map(({ message }) => message).join('\n')
    const unsaid = (values: string[]) => values.filter((value) => !said.includes(value))
    expect({
      words: unsaid(missing(before.words, after.words)),
      links: unsaid(missing(before.links, after.links)),
      pictures: unsaid(missing(before.pictures, after.pictures)),
    }).toEqual({ words: [], links: [], pictures: [] })
  })
})
