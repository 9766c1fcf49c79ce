import { expect, it } from 'vitest'
import { requestedSections } from '../../../src/generation/pipeline/text/requested-count.ts'
import { documentRequest, writeDocument } from '../../support/generation/documents.ts'
import { simulatedWriter } from '../../support/generation/writer.ts'

it.each([
  ['10 ways to keep a boat dry', 10],
  ['Write “7 common SEO mistakes”, please', 7],
  ['Ten simple and cheap ways to insulate a loft', 10],
  ['A 5-step guide to sourdough', 5],
  ['The Top 12 of German beaches', 12],
  ['The 8 best hikes near Vienna', 8],
  ['A dozen reasons to learn Latin', 12],
  ['Compare heat pumps, in four chapters', 4],
  ['3 tips for 5 mistakes, in 6 sections', 6],
  ['Zehn Tipps gegen Schimmel', 10],
  ['5 einfache Wege zu mehr Schlaf', 5],
  ['Ein Beitrag in sieben Abschnitten', 7],
  ['Die zwölf schönsten Strände der Ostsee', 12],
  ['In 7 Schritten zur eigenen Website', 7],
  ['11 (elf) Gründe für das Rad', 11],
  ['6 astuces pour dormir', 6],
  ['8 razones para viajar', 8],
])('%s spells out %i sections', (prompt, sections) => {
  expect(requestedSections(prompt)).toBe(sections)
})

it.each([
  'How tides work, and why there are two of them each day',
  'What 10 years of rain did to the roof',
  'A house with 3 bedrooms for 5 people',
  'In 10 minutes with easy steps',
  '3 people share tips on sleep',
  'The top 10 % of earners',
  'An article of 800 words about tips',
  '2.5 tips a day',
  'With 3 benefits and 5 mistakes',
  'Explain gravity, with two tips for each',
  'Am 3. Mai: Wege aus der Krise',
  'Die 3 ersten Jahre',
  'twenty-five ideas for a small garden',
  'Mit fünfundzwanzig Ideen durch den Winter',
])('%s spells out none', (prompt) => {
  expect(requestedSections(prompt)).toBeUndefined()
})

/** The sections of a document, and how long each is wanted, by a writer that plans so many. */
async function written(prompt: string, length: number, planned: (asked: number) => number) {
  const writer = simulatedWriter({
    seed: 3,
    spread: 0,
    instead: ({ schema }, { sections = 0 }, text) => {
      if (schema?.name !== 'outline') return undefined
      const outline = JSON.parse(text)
      const one = outline.sections[0]
      const count = planned(sections)
      outline.sections = Array.from({ length: count }, (_, index) => ({
        ...one,
        heading: `Way ${index + 1}`,
      }))
      return JSON.stringify(outline)
    },
  })
  const { document, run } = await writeDocument(documentRequest({ prompt, text: { length } }), writer)
  const headings = document.content.content.flatMap((block) => (block.type === 'heading' ? [block.text] : []))
  return { document, run, ways: headings.filter((text) => text.startsWith('Way')).length }
}

it.each([300, 800, 2_000, 6_000])('a prompt of 10 ways has 10 sections in %i words', async (length) => {
  const { ways, document, run } = await written('10 ways to keep a boat dry', length, (asked) => asked)
  expect(ways).toBe(10)
  expect(Math.abs(document.word_count - length)).toBeLessThanOrEqual(length / 10)
  expect(run.warnings).toEqual([])
})

it('an outline of another number than the prompt spells out is asked for again, and then told', async () => {
  const { run, ways } = await written('Zehn Wege, ein Boot trocken zu halten', 2_000, () => 7)
  expect(run.asked.slice(0, 2)).toEqual(['outline', 'outline-again'])
  expect(ways).toBe(7)
  expect(run.warnings).toMatchObject([{ code: 'sections_missed' }])
})

it('where the prompt does not say how many, the outline does', async () => {
  const { ways, run, document } = await written('船を乾いた状態に保つ12の方法', 2_000, () => 12)
  expect(ways).toBe(12)
  expect(run.asked).not.toContain('outline-again')
  expect(document.word_count).toBeGreaterThan(0)
})
