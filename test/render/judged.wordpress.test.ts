import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { renderSettingsSchema } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'
import { loadEditor } from '../support/editor.ts'
import { wordpress } from '../support/wordpress/index.ts'
import { listInList } from './documents/deep.ts'
import { documentWords } from './documents/words.ts'
import { savesAlike, withoutExceptions } from './exceptions.ts'
import { documentOf, fixtures, renderFixture } from './fixture.ts'

const { version, root } = wordpress()
const editor = loadEditor(root)

/** What a choice of the site leaves out on purpose is not in the post. */
const shownWhole = fixtures.filter(([, { settings }]) => settings?.image_captions !== false)

describe(`the corpus in the editor of WordPress ${version}`, () => {
  it.each(fixtures)('%s is valid as this version gets it', (_name, fixture) => {
    const { markup } = renderFixture(fixture, 'block', version)
    expect(editor.judge(markup)).toMatchObject({ valid: true, invalid: [], migrated: [] })
  })

  it.each(shownWhole)('%s reads word for word', (_name, fixture) => {
    const { words } = editor.judge(fixture.blocks).read()
    expect([...words, ...editor.notes(fixture.footnotes ?? [])]).toEqual(documentWords(documentOf(fixture)))
    expect(editor.read(fixture.classic).words).toEqual(documentWords(documentOf(fixture)))
  })

  it.each(savesAlike(version) ? fixtures : [])('%s has the same bytes when it is saved', (_name, fixture) => {
    const { markup } = renderFixture(fixture, 'block', version)
    expect(withoutExceptions(editor.judge(markup).saved)).toBe(withoutExceptions(markup))
  })
})

it(`the deepest lists allowed are valid in the editor of WordPress ${version}`, () => {
  const options = { media: new Map(), settings: renderSettingsSchema.parse({}), format: 'block' } as const
  const { markup } = renderDocument({ title: 'T', blocks: [listInList(LIMITS.listDepth)] }, options)
  expect(editor.judge(markup)).toMatchObject({ valid: true, blocks: 2 * LIMITS.listDepth })
})
