import { describe, expect, it } from 'vitest'
import {
  blocksText,
  keywordOccurrences,
  maxOccurrences,
  missingKeywords,
} from '../../../src/generation/pipeline/text/measure.ts'
import { documentRequest, writeDocument } from '../../support/generation/documents.ts'
import { simulatedWriter, type WriterQuestion } from '../../support/generation/writer.ts'
import { samples } from '../../support/random.ts'

const keywords = ['neap tide', 'tidal range', 'harbour clock', 'Wasserstand', 'moon phase']
const request = documentRequest({ text: { length: 1_000 }, keywords })

describe('the keywords of a document', () => {
  it('stand in it, each at least once and none too often, in every job', async () => {
    let densest = 0
    for (let seed = 0; seed < samples(100); seed += 1) {
      const { document, run } = await writeDocument(request, simulatedWriter({ seed }))
      const text = blocksText(document.content.content)
      expect(missingKeywords(text, keywords)).toEqual([])
      for (const keyword of keywords) {
        const times = keywordOccurrences(text, keyword)
        expect(times).toBeLessThanOrEqual(maxOccurrences(keyword, document.word_count, 'words'))
        densest = Math.max(densest, (times * keyword.split(' ').length) / document.word_count)
      }
      expect(run.warnings.filter(({ code }) => code.startsWith('keyword'))).toEqual([])
    }
    console.log(`keywords: the densest is ${(100 * densest).toFixed(2)} % of its text`)
  })

  it('are asked for once more where the sections were written without them', async () => {
    const writer = simulatedWriter({
      seed: 1,
      instead: ({ schema }, asked, text) => (schema?.name === 'section' ? without(asked, text) : undefined),
    })
    const { document, run } = await writeDocument(request, writer)
    expect(run.asked.filter((part) => part === 'keywords')).toHaveLength(1)
    expect(missingKeywords(blocksText(document.content.content), keywords)).toEqual([])
  })

  it('do not bring in a paragraph whose end was cut off', async () => {
    const writer = simulatedWriter({
      seed: 1,
      instead: ({ schema }, asked, text) => {
        if (schema?.name === 'section') return without(asked, text)
        if (schema?.name !== 'paragraphs') return undefined
        const [first] = asked.paragraphs ?? []
        const cut = `${first?.keywords.join(' ')} ${first?.text.slice(0, -20)} and then`
        return { text: JSON.stringify({ paragraphs: [cut] }).slice(0, -3), finish: 'length' }
      },
    })
    const { document } = await writeDocument(request, writer)
    expect(blocksText(document.content.content)).not.toContain('and then')
  })

  it('that never come are told', async () => {
    const writer = simulatedWriter({
      seed: 1,
      instead: ({ schema }, asked, text) =>
        schema?.name === 'section'
          ? without(asked, text)
          : schema?.name === 'paragraphs'
            ? JSON.stringify({ paragraphs: ['Nothing of it.'] })
            : undefined,
    })
    const { run } = await writeDocument(request, writer)
    expect(run.warnings.find(({ code }) => code === 'keyword_missing')?.message).toContain('neap tide')
  })

  it('that stand in a section too often are written out of it', async () => {
    const stuffed = (seed: number, times: number) =>
      simulatedWriter({
        seed,
        instead: ({ schema, messages }, _, text) => {
          if (schema?.name !== 'section' || messages.length > times) return undefined
          const answer = JSON.parse(text)
          answer.blocks[0].text += ' tidal range'.repeat(40)
          return JSON.stringify(answer)
        },
      })
    const { document, run } = await writeDocument(request, stuffed(2, 1))
    const often = maxOccurrences('tidal range', document.word_count, 'words')
    expect(keywordOccurrences(blocksText(document.content.content), 'tidal range')).toBeLessThanOrEqual(often)
    expect(run.warnings.filter(({ code }) => code === 'keyword_stuffed')).toEqual([])
    // one who does it again is told of
    const stubborn = await writeDocument(request, stuffed(2, 9))
    expect(stubborn.run.warnings.map(({ code }) => code)).toContain('keyword_stuffed')
  })
})

/** The answer without the keywords that were asked for. */
const without = ({ keywords: asked = [] }: WriterQuestion, text: string): string =>
  text.replace(` ${asked.join(' ')}.`, '')

describe('a keyword is found', () => {
  it.each([
    ['in another case', 'The Neap Tide.', 'neap tide', 1],
    ['over a line break', 'neap\ntide', 'neap tide', 1],
    ['with an ending', 'Die Wasserstände und der Wasserstand', 'Wasserstand', 1],
    ['with accents that are written otherwise', 'caf\u0065\u0301', 'café', 1],
    ['amid Chinese', '关于潮汐的事，潮汐很大', '潮汐', 2],
    ['behind an Arabic article', 'ارتفع المد اليوم', 'مد', 1],
    ['not as the end of another word', 'a party of artists', 'art', 1],
  ])('%s', (_, text, keyword, times) => {
    expect(keywordOccurrences(text, keyword)).toBe(times)
  })
})
