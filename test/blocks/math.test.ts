import { describe, expect, it, test } from 'vitest'
import { mathMl } from '../../src/blocks/math/mathml.ts'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { LIMITS } from '../../src/contract/limits.ts'

const read = (...content: unknown[]) =>
  normaliseDocument({ title: 'T', content: { content } } as Parameters<typeof normaliseDocument>[0])

test.each([
  { type: 'math', latex: 'x^2' },
  { type: 'equation', expression: '$$x^2$$' },
  { type: 'math', attrs: { latex: 'x^2' } },
  { type: 'formula', content: '\\[ x^2 \\]' },
  { type: 'latex', text: '$x^2$' },
])('%j is a formula', (block) => {
  expect(read(block).document.blocks).toEqual([{ type: 'math', latex: 'x^2' }])
  expect(read({ type: 'paragraph', content: ['Of ', block] }).document.blocks).toMatchObject([
    { content: [{ text: 'Of ' }, { type: 'math', latex: 'x^2' }] },
  ])
})

test('a dollar inside a formula is part of it', () => {
  expect(read({ type: 'math', latex: '\\text{$5}' }).document.blocks).toEqual([
    { type: 'math', latex: '\\text{$5}' },
  ])
})

describe('formulas that would take long', () => {
  it('stay LaTeX where one is long, or all are', () => {
    const long = 'x+'.repeat(LIMITS.formula)
    expect(read({ type: 'math', latex: long })).toMatchObject({
      document: { blocks: [{ type: 'code_block', value: long }] },
      warnings: [{ code: 'math_as_code' }],
    })
    const many = Array.from({ length: 40 }, () => ({ type: 'math', latex: 'x'.repeat(1_000) }))
    const types = read(...many).document.blocks.map(({ type }) => type)
    expect(types).toEqual([...Array(29).fill('math'), ...Array(11).fill('code_block')])
  })

  it.each([
    ['macros that stand for megabytes', `\\def\\a{${'x'.repeat(900)}}${'\\a'.repeat(300)}`],
    ['a macro that calls itself', '\\def\\a{\\a\\a}\\a'],
    ['braces inside each other', `${'{'.repeat(900)}x${'}'.repeat(900)}`],
    ['a link that runs a script', '\\href{javascript:alert(1)}{x}'],
    ['a picture', '\\includegraphics{https://example.com/a.png}'],
  ])('are not set: %s', (_, latex) => {
    const markup = mathMl(latex, true) ?? ''
    expect(markup.length).toBeLessThan(100 * (latex.length + 10))
    expect(markup).not.toMatch(/href|src=/)
  })
})
