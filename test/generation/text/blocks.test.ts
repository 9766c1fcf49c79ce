import { expect, it } from 'vitest'
import { normalisedWords, toBlocks } from '../../../src/generation/pipeline/text/blocks.ts'
import { createCitations } from '../../../src/generation/pipeline/text/inlines.ts'
import { growth, NOT_LINEAR } from '../../support/growth.ts'

const read = (text: string) =>
  toBlocks(
    { blocks: [{ type: 'paragraph', text }] },
    { heading: 'Tides', divided: true, citations: createCitations([], ''), quotable: normalisedWords('') },
  )

it.each(['# a\n', '\n# ', '# a\n\n', '- a\n', '| a |\n', '```\n', '```a```'])(
  'Markdown in a paragraph is read in time that grows with it: %j',
  (bait) => {
    // A paragraph has 20,000 characters at most.
    expect(growth(read, (times) => `# ${bait.repeat(times)}`, Math.floor(1_000 / bait.length))).toBeLessThan(
      NOT_LINEAR,
    )
  },
)

it('headings at the beginning of a paragraph stand for themselves, what is below them as it is', () => {
  const blocks = read('# Tides\n\n  ## High\n### Low\n- rises\n- falls\n\nWater. # No heading\n# nor this')
  expect(blocks.map(({ type }) => type)).toEqual(['heading', 'list', 'paragraph'])
  expect(blocks[0]).toMatchObject({ text: 'Low' })
  expect(blocks[1]).toMatchObject({ items: ['rises', 'falls'] })
})
