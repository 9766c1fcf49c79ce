import { expect, it } from 'vitest'
import { metaDescription } from '../../../src/generation/pipeline/text/write-text.ts'
import { documentRequest, writeDocument } from '../../support/generation/documents.ts'
import { simulatedWriter } from '../../support/generation/writer.ts'

const more =
  'and so the port fills again before anybody in the harbour has had the time to notice what it is that happens to the boats'

it.each([
  'The tide, which rises higher than people think, was explained by Dr. Smith in 1867',
  'The water of the sea rises twice a day, for instance e.g. In Kiel or in other ports',
  'Das Wasser der Nordsee steigt zweimal am Tag recht hoch, z. B. in Husum oder auf Sylt',
  'The highest tides of the channel are known in the old port of St. Malo and around it',
  'The rule of twelfths is in the almanac of the admiralty under No. 12 and elsewhere',
  'The moon and the sun, as the old book of the sailor J. R. Miller says, pull at the water',
  'Le niveau de la mer monte deux fois par jour, dit M. Dupont dans la revue des ports',
  'Das Gesetz über die Deiche an der Küste trat nach langem Streit am 3. Mai in Kraft',
])('a description is not cut at the full stop of an abbreviation: %s', (beginning) => {
  const description = metaDescription(`${beginning} ${more}`, '')
  expect(description).toContain(beginning)
  expect(description).toMatch(/…$/)
})

it.each([
  ['The sea rises twice a day in nearly all ports of the world.', ' The moon '],
  ['Why does the sea rise twice a day in nearly all ports?', ' The moon '],
  [
    `${'潮の満ち引きは月と太陽の引力によって起こる。'.repeat(4)}それは海である。`,
    '潮の満ち引きは月と太陽の'.repeat(5),
  ],
])('it is cut at the end of a sentence: %s', (sentence, next) => {
  expect(metaDescription(`${sentence}${next}${more}`, '')).toBe(sentence)
})

it('a short one is a sentence of its own before what follows', () => {
  expect(metaDescription('Tides explained', 'The sea rises twice a day, and the moon pulls at it.')).toBe(
    'Tides explained. The sea rises twice a day, and the moon pulls at it.',
  )
})

it('neither a description nor the words for a picture have marks in them', async () => {
  const marked = '**Water** rises &amp; falls in [all ports](s1), says <b>the almanac</b> of the `admiralty`'
  const picture = { subject: marked, alt: marked }
  const { document, text } = await writeDocument(
    documentRequest({ text: { length: 300 }, image: { enabled: true } }),
    simulatedWriter({
      seed: 1,
      instead: ({ schema }, _question, answer) =>
        schema?.name === 'outline'
          ? JSON.stringify({ ...JSON.parse(answer), description: marked, picture })
          : undefined,
    }),
  )
  const plain = 'Water rises & falls in all ports, says the almanac of the admiralty'
  expect(document.description).toBe(plain)
  expect(document.content.featured_image?.alt).toBe(plain)
  expect(text.pictures[0]?.subject).toBe(plain)
})
