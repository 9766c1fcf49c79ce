import { describe, expect, it } from 'vitest'
import type { WireBlock } from '../../../src/contract/generation/results.ts'
import { cleanNewsHeading, splitLongParagraphs } from '../../../src/generation/pipeline/text/blocks.ts'
import { blocksText, countBlocks } from '../../../src/generation/pipeline/text/measure.ts'
import { documentRequest, writeDocument } from '../../support/generation/documents.ts'
import { sentences, simulatedWriter } from '../../support/generation/writer.ts'
import { seeded } from '../../support/random.ts'

/** A writer who plans a guide whatever it is asked for, and writes long paragraphs with headings among them. */
const guide = (seed: number) => {
  const random = seeded(seed)
  const headings = [
    'How to read a tide table',
    '1. The moon',
    'What is a tide?',
    'Ports report higher water',
    'Conclusion',
  ]
  return simulatedWriter({
    seed,
    spread: 0,
    instead: ({ schema }, { length = 100 }, text) => {
      const answer = JSON.parse(text)
      if (schema?.name === 'outline')
        for (const [index, section] of answer.sections.entries())
          section.heading = headings[index] ?? `Fact ${index}`
      if (schema?.name === 'section')
        answer.blocks = [
          { type: 'paragraph', text: sentences('en', length / 2, random) },
          { type: 'subheading', text: `Amid the text ${random.next()}` },
          { type: 'paragraph', text: sentences('en', length / 2, random) },
        ]
      return JSON.stringify(answer)
    },
  })
}

const written = async (content_type: 'article' | 'news') => {
  const { document, text } = await writeDocument(
    documentRequest({ content_type, text: { length: 1_500 } }),
    guide(3),
  )
  return { blocks: document.content.content, parts: text.parts }
}

const headingsOf = (blocks: readonly WireBlock[]) => blocks.filter((block) => block.type === 'heading')

describe('news', () => {
  it('begin with the lead, one short paragraph or two, and no heading', async () => {
    const { parts } = await written('news')
    const [lead = []] = parts
    expect(lead.every(({ type }) => type === 'paragraph')).toBe(true)
    expect(countBlocks(lead, 'words')).toBeLessThanOrEqual(70)
  })

  it('have crossheads that neither teach, ask, count nor conclude, all of one level', async () => {
    const { blocks } = await written('news')
    expect(headingsOf(blocks).map(({ text }) => text)).toEqual(['Ports report higher water', 'Fact 5'])
    expect(headingsOf(blocks).every(({ level }) => level === 2)).toBe(true)
  })

  it('say less and less, and have no closing', async () => {
    const { parts } = await written('news')
    const lengths = parts.slice(1).map((part) => countBlocks(part, 'words'))
    expect(lengths.length).toBe(6)
    expect(lengths[0]).toBeGreaterThan(1.5 * (lengths.at(-1) ?? 0))
  })

  it('have short paragraphs, divided between sentences, with every word kept', async () => {
    const [news, article] = [await written('news'), await written('article')]
    const paragraphs = news.blocks
      .filter(({ type }) => type === 'paragraph')
      .map((block) => blocksText([block]))
    expect(Math.max(...paragraphs.map((text) => text.length))).toBeLessThanOrEqual(600)
    expect(paragraphs.filter((text) => !/[.!?]$/.test(text) || text !== text.trim())).toEqual([])
    // the same writer's article has long ones
    const long = article.blocks.filter(
      (block) => block.type === 'paragraph' && blocksText([block]).length > 600,
    )
    expect(long.length).toBeGreaterThan(0)
  })

  it('are not what an article is: that has the guide’s headings, a second level and a closing', async () => {
    const { blocks, parts } = await written('article')
    const headings = headingsOf(blocks)
    expect(headings.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['How to read a tide table', 'What is a tide?']),
    )
    expect(headings.some(({ level }) => level === 3)).toBe(true)
    expect(parts.length).toBe(8)
  })
})

it('a paragraph is divided behind no abbreviation', () => {
  const text =
    'It rose higher than in all the years before it, said Prof. Müller of the academy for the sea and all that lives in it, who has measured it since. '
  const blocks = splitLongParagraphs([
    { type: 'paragraph', content: [{ type: 'text', text: text.repeat(8).trim() }] },
  ])
  expect(blocks.length).toBeGreaterThan(1)
  for (const block of blocks) expect(blocksText([block])).toMatch(/^It rose .* since\.$/)
})

it.each([
  ['How to measure it', ''],
  ['3) Results', ''],
  ['¿Qué pasa?', ''],
  ['なぜ起きるのか？', ''],
  ['FAQ', ''],
  ['Harbour closes after flood', 'Harbour closes after flood'],
  ['2026 brings higher tides', '2026 brings higher tides'],
])('%s, as a crosshead of news, is "%s"', (heading, expected) => {
  expect(cleanNewsHeading(heading)).toBe(expected)
})
