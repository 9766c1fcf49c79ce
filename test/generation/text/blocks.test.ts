import { expect, it } from 'vitest'
import { normalisedWords, toBlocks } from '../../../src/generation/pipeline/text/blocks.ts'
import { createCitations } from '../../../src/generation/pipeline/text/inlines.ts'

const read = (text: string) =>
  toBlocks(
    { blocks: [{ type: 'paragraph', text }] },
    { heading: 'Tides', divided: true, citations: createCitations([], ''), quotable: normalisedWords('') },
  )

it('headings at the beginning of a paragraph stand for themselves, what is below them as it is', () => {
  const blocks = read('# Tides\n\n  ## High\n### Low\n- rises\n- falls\n\nWater. # No heading\n# nor this')
  expect(blocks.map(({ type }) => type)).toEqual(['heading', 'list', 'paragraph'])
  expect(blocks[0]).toMatchObject({ text: 'Low' })
  expect(blocks[1]).toMatchObject({ items: ['rises', 'falls'] })
})
