import { describe, expect, it } from 'vitest'
import { renderSettingsSchema } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'
import { loadEditor, type Reading } from '../support/editor.ts'
import { wordpress } from '../support/wordpress/index.ts'
import { everywhere } from './documents/everywhere.ts'
import { postAs, publishAs } from './posted.ts'

/** Every way to write a shortcode that WordPress itself knows, and what its own escaping makes one of. */
const shortcodes = [
  '[gallery ids="1"]',
  '[gallery/]',
  '[[gallery]]',
  '[[[gallery]]]',
  '[gallery][/gallery]',
  '[caption width="1"]x[/caption]',
  '[embed]https://example.com/[/embed]',
  "[audio src='x.mp3']",
  '[x [gallery] y]',
  '&#91;gallery]',
  '&#091;gallery&#93;',
  '&#x5B;gallery]',
  '&lbrack;gallery&rbrack;',
  '&amp;#91;gallery]',
  '&amp;amp;#x5b;gallery]',
  '[\0gallery]',
  '[\u2060gallery]',
  '\\[gallery]\\',
]

const { version, root } = wordpress()
const editor = loadEditor(root)

const markupOf = (shortcode: string, format: 'block' | 'classic'): string =>
  renderDocument(everywhere(shortcode), {
    format,
    settings: renderSettingsSchema.parse({}),
    media: new Map(),
    wordpressVersion: version,
  }).markup

/** Text without what WordPress writes in its own way, `wptexturize`; brackets and all attributes as they are. */
const readable = ({ words, attributes }: Reading) => ({
  words: words.map((word) => word.replace(/[^\p{L}\p{N}[\]]/gu, '')).filter((word) => word !== ''),
  attributes,
})

describe.each(['block', 'classic'] as const)(`shortcodes on WordPress ${version}, as %s`, (format) => {
  const markup = shortcodes.map((shortcode) => markupOf(shortcode, format)).join('\n\n')

  // An author's markup goes through kses, an editor's does not.
  it('posted by an editor stay text wherever they stand', async () => {
    const { rendered } = await postAs('editor', markup)
    expect(readable(editor.read(rendered))).toEqual(readable(editor.read(markup)))
  })

  it('published by an author stay text in the page, and blocks in the editor', async () => {
    const { raw, shown } = await publishAs('author', markup)
    expect(readable(editor.read(shown))).toEqual(readable(editor.read(markup)))
    if (format === 'block') expect(editor.judge(raw)).toMatchObject({ invalid: [], migrated: [] })
  })
})
