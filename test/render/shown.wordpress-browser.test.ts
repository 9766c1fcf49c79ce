import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Document } from '../../src/blocks/document.ts'
import type { Block, Inline } from '../../src/blocks/index.ts'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { documentDataSchema } from '../../src/contract/webhook.ts'
import { type RenderMedia, renderSettingsSchema } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'
import { launchBrowser } from '../support/browser.ts'
import { removePosts, rest, wordpress } from '../support/wordpress/index.ts'

const paragraphs = (...contents: Inline[][]): Block[] =>
  contents.map((content) => ({ type: 'paragraph', content }))

// The sample, and text that WordPress likes to bring to life, published and shown by the site's theme.

const text = (value: string) => ({ type: 'text' as const, text: value })
const paragraph = (value: string): Block => ({ type: 'paragraph', content: [text(value)] })

const code = 'if (a[0] < b) {\n\n\t\tgallery("[gallery]")\n    https://example.com/in-code\n  }  \n'

const lively: Block[] = [
  { type: 'heading', level: 2, content: [text('Text that stays text')] },
  paragraph('Shortcodes: [gallery ids="1,2"] [audio src="x.mp3"] [caption]x[/caption]'),
  paragraph('https://www.youtube.com/watch?v=dQw4w9WgXcQ'),
  {
    type: 'quote',
    content: paragraphs([text('https://example.com/in-a-quote')]),
    citation: [text('A pilot')],
  },
  paragraph('<strong>written</strong> &amp; --> <!--more--> &#91;'),
  paragraph('שלום עולם, مرحبا بالعالم 👩‍👩‍👧‍👦'),
  { type: 'code_block', language: 'ts', value: code },
  {
    type: 'list',
    ordered: true,
    start: 5,
    items: [
      { content: [text('https://example.com/in-a-list')], blocks: [] },
      {
        content: [text('two')],
        blocks: [{ type: 'list', ordered: false, items: [{ content: [text('nested')], blocks: [] }] }],
      },
    ],
  },
  {
    type: 'table',
    headers: [[text('Port')], [text('Ships')]],
    rows: [[[text('Ostend')], [text('12')]], [[text('Ghent')]]],
    caption: [text('Ships by port')],
  },
]

const sample = JSON.parse(readFileSync(new URL('../../demo/sample.json', import.meta.url), 'utf8'))
const { document } = normaliseDocument(documentDataSchema.parse(sample.data))
const shown: Document = { ...document, blocks: [...document.blocks, ...lively] }

const { url: site, users, version } = wordpress()
const made: { post: number[]; media: number[] } = { post: [], media: [] }

async function upload(path: string): Promise<[string, RenderMedia]> {
  const { login, applicationPassword } = users.editor
  const response = await fetch(`${site}/wp-json/wp/v2/media`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${login}:${applicationPassword}`).toString('base64')}`,
      'content-disposition': `attachment; filename="${path.split('/').at(-1)}"`,
    },
    body: readFileSync(new URL(`../../demo/${path}`, import.meta.url)),
  })
  const { id, source_url, link } = (await response.json()) as { id: number; source_url: string; link: string }
  made.media.push(id)
  return [path, { id, url: source_url, link }]
}

let browser: Browser
let media: Map<string, RenderMedia>
beforeAll(async () => {
  browser = await launchBrowser()
  const pictures = new Set(shown.blocks.flatMap((block) => (block.type === 'image' ? [block.url] : [])))
  media = new Map()
  for (const picture of pictures) media.set(...(await upload(picture)))
})
afterAll(async () => {
  await removePosts([...made.post, ...made.media])
  await browser.close()
})

async function publish(format: 'block' | 'classic'): Promise<Page> {
  const settings = renderSettingsSchema.parse({ embed_addresses: false })
  const { markup } = renderDocument(shown, { format, media, settings, wordpressVersion: version })
  const post = { title: `Galley render test, ${format}`, status: 'publish', content: markup }
  const { id, link } = await rest<{ id: number; link: string }>('editor', 'POST', '/wp/v2/posts', post)
  made.post.push(id)
  const page = await browser.newPage({ viewport: { width: 1100, height: 900 } })
  // Debian's nginx tells PHP the host without its port: WordPress redirects a GET to the same address, for ever
  await page.route(link, (route) => route.continue({ method: 'POST' }))
  await page.goto(link)
  // pictures further down are loaded when they come into view
  for (const picture of await page.locator('.entry-content img').all()) await picture.scrollIntoViewIfNeeded()
  const folder = process.env.GALLEY_TEST_SCREENSHOTS
  if (folder) await page.screenshot({ path: `${folder}/${version}-${format}.png`, fullPage: true })
  return page
}

describe.each(['block', 'classic'] as const)('the published page, as %s', (format) => {
  let page: Page
  const content = (selector: string) => page.locator(`.entry-content ${selector}`)
  beforeAll(async () => {
    page = await publish(format)
  })

  it('runs no shortcode', async () => {
    expect(await content('.gallery, .wp-audio-shortcode, .wp-caption:not(figure)').count()).toBe(0)
    await expect(content('p:has-text("Shortcodes:")').textContent()).resolves.toContain('[gallery ids=')
  })

  it('embeds nothing, and makes no link, out of an address that stands alone', async () => {
    expect(await content('iframe, .wp-block-embed, .wp-embedded-content').count()).toBe(0)
    for (const name of ['youtube.com/watch', 'in-a-quote', 'in-code', 'in-a-list']) {
      expect(await content(`:text("${name}")`).count(), name).toBe(1)
      expect(await content(`a:has-text("${name}")`).count(), name).toBe(0)
    }
  })

  it('has tables with heads and captions', async () => {
    expect(await content('table').count()).toBe(2)
    expect(await content('table thead th').allTextContents()).toEqual(
      expect.arrayContaining(['Tide', 'Time', 'Height', 'Port', 'Ships']),
    )
    await expect(content('figcaption').last().textContent()).resolves.toBe('Ships by port')
  })

  it('keeps every space of code, and shows them', async () => {
    expect(await content('pre code').last().textContent()).toBe(code)
    const whiteSpace = await page.evaluate("getComputedStyle(document.querySelector('pre code')).whiteSpace")
    expect(whiteSpace).toMatch(/^(pre|break-spaces)/)
  })

  it('shows the pictures from the library, with their alternative text', async () => {
    // an emoji that no font here has is a picture too
    const pictures = content('img:not(.emoji)')
    const loaded =
      "[...document.querySelectorAll('.entry-content img:not(.emoji)')].map((image) => image.naturalWidth > 0)"
    await expect.poll(() => page.evaluate(loaded)).toEqual(Array.from(media, () => true))
    for (const picture of await pictures.all()) expect(await picture.getAttribute('alt')).not.toBe('')
  })

  it('counts and nests lists as the document does', async () => {
    expect(await content('ol[start="5"] > li').count()).toBe(2)
    expect(await content('ol[start="5"] ul > li').textContent()).toBe('nested')
  })

  it('has no empty paragraph and no line break that nobody wrote', async () => {
    expect(await content('p:empty, br').count()).toBe(0)
  })
})
