import { describe, expect, it } from 'vitest'
import type { Document } from '../../src/blocks/document.ts'
import type { Block } from '../../src/blocks/index.ts'
import {
  type RenderMedia,
  type RenderOptions,
  type RenderSettings,
  renderSettingsSchema,
} from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'

const text = (value: string) => ({ type: 'text' as const, text: value })
const paragraph = (value: string): Block => ({ type: 'paragraph', content: [text(value)] })
const heading = (level: 1 | 2 | 3 | 4 | 5 | 6): Block => ({
  type: 'heading',
  level,
  content: [text(`H${level}`)],
})
const link = (href: string): Block => ({
  type: 'paragraph',
  content: [{ type: 'link', href, children: [text('x')] }],
})
const url = 'https://img.example/a.png'
const image: Block = { type: 'image', url, alt: '', caption: [text('caption')] }

interface Given extends Partial<RenderSettings> {
  media?: Record<string, RenderMedia>
  document?: Partial<Document>
  siteOrigin?: string
}

/** Classic markup, as it shows every choice with the least around it. */
function render(blocks: Block[], { media = {}, document = {}, siteOrigin, ...settings }: Given = {}): string {
  const options: RenderOptions = {
    format: 'classic',
    media: new Map(Object.entries(media)),
    settings: renderSettingsSchema.parse(settings),
    ...(siteOrigin === undefined ? {} : { siteOrigin }),
  }
  return renderDocument({ title: 'T', ...document, blocks }, options).markup
}

describe('the top heading level', () => {
  it('moves all headings down together where one stands above it', () => {
    expect(render([heading(1), heading(2), heading(6)])).toBe('<h2>H1</h2>\n\n<h3>H2</h3>\n\n<h6>H6</h6>')
  })

  it('leaves headings alone where none stands above it', () => {
    expect(render([heading(2), heading(3)])).toBe('<h2>H2</h2>\n\n<h3>H3</h3>')
    expect(render([heading(3)])).toBe('<h3>H3</h3>')
  })

  it('may be another', () => {
    expect(render([heading(2)], { top_heading_level: 3 })).toBe('<h3>H2</h3>')
    expect(render([heading(1)], { top_heading_level: 1 })).toBe('<h1>H1</h1>')
  })
})

describe('the language of code', () => {
  const code: Block = { type: 'code_block', language: 'C++', value: 'x' }

  it('is a class', () => {
    expect(render([code])).toContain('class="language-c++"')
  })

  it('is left out where the site wants none', () => {
    expect(render([code], { code_language_class: false })).toBe('<pre><code>x</code></pre>')
  })

  it('cannot break out of its class', () => {
    expect(render([{ ...code, language: '"><script> x' }])).toContain('class="language-script-x"')
  })
})

describe('links to outside', () => {
  const newTab = { outside_links_in_new_tab: true, siteOrigin: 'https://site.example' }

  it('open in a new tab as the editor writes it', () => {
    expect(render([link('https://other.example/')], newTab)).toContain(
      'target="_blank" rel="noreferrer noopener"',
    )
  })

  it.each(['https://site.example/page', '/page', '#part', 'mailto:a@b.example'])(
    'are not what %s is',
    (href) => {
      expect(render([link(href)], newTab)).not.toContain('target')
    },
  )

  it('say what the site wants of rel', () => {
    expect(
      render([link('https://other.example/')], { outside_link_rel: ['nofollow', 'sponsored'] }),
    ).toContain('<a href="https://other.example/" rel="nofollow sponsored">')
  })
})

describe('pictures', () => {
  const library = { id: 7, url: 'https://site.example/a.png', link: 'https://site.example/a/' }

  it('are taken in the size that the site chose', () => {
    const sizes = { medium: { url: 'https://site.example/a-300.png' } }
    expect(render([image], { image_size: 'medium', media: { [url]: { ...library, sizes } } })).toContain(
      'class="alignnone size-medium wp-image-7" src="https://site.example/a-300.png"',
    )
  })

  it('are taken whole where the library has no such size', () => {
    expect(render([image], { image_size: 'large', media: { [url]: { ...library, sizes: {} } } })).toContain(
      'size-full wp-image-7" src="https://site.example/a.png"',
    )
  })

  it.each([
    ['media', '<a href="https://site.example/a.png"><img'],
    ['attachment', '<a href="https://site.example/a/"><img'],
  ] as const)('lead to their %s', (image_link, expected) => {
    expect(render([image], { image_link, media: { [url]: library } })).toContain(expected)
  })

  it('lose their captions where the site wants none', () => {
    expect(render([image], { image_captions: false })).not.toContain('caption')
  })

  it('stay in the text when they are the featured image, unless the site removes them', () => {
    const document = { featuredImage: { url, alt: '' } }
    expect(render([image], { document })).toContain(url)
    expect(render([image], { document, featured_image_in_body: 'remove' })).toBe('')
  })
})

describe('the more break', () => {
  const blocks = ['a', 'b', 'c'].map(paragraph)

  it('stands after as many blocks as the site chose', () => {
    expect(render(blocks, { more_after: 2 })).toBe('<p>a</p>\n\n<p>b</p>\n\n<!--more-->\n\n<p>c</p>')
  })

  it('is left out at the end of the text', () => {
    expect(render(blocks, { more_after: 3 })).not.toContain('more')
  })
})

describe('narration', () => {
  const document = { audio: { type: 'audio' as const, url: 'https://a.example/x.mp3' } }
  const player = '<p><audio controls src="https://a.example/x.mp3"></audio></p>'

  it.each([
    ['top', `${player}\n\n<p>a</p>`],
    ['bottom', `<p>a</p>\n\n${player}`],
    ['none', '<p>a</p>'],
  ] as const)('stands at the %s', (audio, expected) => {
    expect(render([paragraph('a')], { audio, document })).toBe(expected)
  })
})

describe('the choices', () => {
  it('all have a default and say what they mean', () => {
    for (const [name, schema] of Object.entries(renderSettingsSchema.shape)) {
      expect(schema.description, name).toMatch(/\.$/)
      expect(renderSettingsSchema.parse({})).toHaveProperty(name)
    }
  })
})
