import { describe, expect, it } from 'vitest'
import { loadEditor, wordpressTrees } from '../support/editor.ts'
import { documentWords } from './documents/words.ts'
import { exceptions, savesAlike, withoutExceptions } from './exceptions.ts'
import { documentOf, fixtures, renderFixture } from './fixture.ts'

describe.each(fixtures)('%s', (_name, fixture) => {
  it('as blocks', () => {
    expect(renderFixture(fixture, 'block').markup).toBe(fixture.blocks)
  })

  it('as classic HTML', () => {
    expect(renderFixture(fixture, 'classic').markup).toBe(fixture.classic)
  })

  it('warns of what it left out', () => {
    for (const format of ['block', 'classic'] as const)
      expect(renderFixture(fixture, format).warnings.map(({ code }) => code)).toEqual(fixture.warnings ?? [])
  })
})

/** What a choice of the site leaves out on purpose is not in the post. */
const shownWhole = fixtures.filter(([, { settings }]) => settings?.image_captions !== false)

describe.each(wordpressTrees())('the corpus in the editor of WordPress $version', ({ root }) => {
  const editor = loadEditor(root)

  it.each(fixtures)('%s is valid as it stands', (_name, { blocks }) => {
    expect(editor.judge(blocks)).toMatchObject({ valid: true, invalid: [], migrated: [] })
  })

  it.each(shownWhole)('%s reads word for word', (_name, fixture) => {
    expect(editor.judge(fixture.blocks).read().words).toEqual(documentWords(documentOf(fixture)))
    expect(editor.read(fixture.classic).words).toEqual(documentWords(documentOf(fixture)))
  })
})

describe.each(wordpressTrees().filter(savesAlike))(
  'the corpus saved again by WordPress $version',
  ({ version, root }) => {
    const editor = loadEditor(root)

    it.each(fixtures)('%s has the same bytes', (_name, fixture) => {
      const { markup } = renderFixture(fixture, 'block', version)
      expect(withoutExceptions(editor.judge(markup).saved)).toBe(withoutExceptions(markup))
    })
  },
)

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
