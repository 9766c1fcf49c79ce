import { describe, expect, it } from 'vitest'
import type { Document } from '../../src/blocks/document.ts'
import type { Block, Inline } from '../../src/blocks/index.ts'
import { LIMITS } from '../../src/contract/limits.ts'
import { renderSettingsSchema } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'

const formats = ['block', 'classic'] as const
const options = { media: new Map(), settings: renderSettingsSchema.parse({}) }
const render = (blocks: Block[], format: 'block' | 'classic') =>
  renderDocument({ title: 'T', blocks }, { ...options, format }).markup

function boldInItalic(depth: number): Block {
  let inline: Inline = { type: 'text', text: 'x' }
  for (let level = 0; level < depth; level += 1)
    inline = { type: level % 2 === 0 ? 'bold' : 'italic', children: [inline] }
  return { type: 'paragraph', content: [inline] }
}

describe.each(formats)('the limits, as %s', (format) => {
  it('let as many formats nest as a payload can hold, each opened once', () => {
    expect(render([boldInItalic(LIMITS.jsonDepth / 2)], format)).toContain(
      '<p><em><strong>x</strong></em></p>',
    )
  })

  it('let 10,000 blocks through', () => {
    const blocks = Array.from({ length: 10_000 }, () => boldInItalic(1))
    expect(render(blocks, format).split('<strong>')).toHaveLength(10_001)
  })
})

it('more notes than the markup may hold are refused, where they stand in a list', () => {
  const content = Array.from(
    { length: 16_000 },
    (_, index): Inline => ({ type: 'footnote', note: [{ type: 'text', text: `note ${index}` }] }),
  )
  const document: Document = { title: 'T', blocks: [{ type: 'paragraph', content }] }
  expect(() => renderDocument(document, { ...options, format: 'block', footnotes: 'list' })).toThrow(
    expect.objectContaining({ code: 'document_markup_too_long' }),
  )
})
