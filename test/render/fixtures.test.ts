import { describe, expect, it } from 'vitest'
import { exceptions, withoutExceptions } from './exceptions.ts'
import { fixtures, renderFixture } from './fixture.ts'

describe.each(fixtures)('%s', (_name, fixture) => {
  it('as blocks', () => {
    const { markup, footnotes } = renderFixture(fixture, 'block')
    expect(markup).toBe(fixture.blocks)
    expect(footnotes).toEqual(fixture.footnotes ?? [])
  })

  it('as classic HTML', () => {
    expect(renderFixture(fixture, 'classic').markup).toBe(fixture.classic)
  })

  it('warns of what it left out', () => {
    const { warnings = [], classicWarnings = warnings } = fixture
    const codes = (format: 'block' | 'classic') =>
      renderFixture(fixture, format).warnings.map(({ code }) => code)
    expect({ block: codes('block'), classic: codes('classic') }).toEqual({
      block: warnings,
      classic: classicWarnings,
    })
  })
})

describe('the exceptions', () => {
  it('are not needed by ordinary documents', () => {
    const ordinary = fixtures.find(([name]) => name === '151-document-of-every-kind')?.[1]
    expect(withoutExceptions(ordinary?.blocks ?? '')).toBe(ordinary?.blocks)
  })

  it.each(exceptions)('$name: there is a reason and a fixture', ({ fixture, reason }) => {
    expect(reason).toMatch(/\.$/)
    expect(fixtures.map(([name]) => name)).toContain(fixture)
  })
})
