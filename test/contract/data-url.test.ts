import { describe, expect, it } from 'vitest'
import { maxMarkupBytes } from '../../src/blocks/document.ts'
import { LIMITS } from '../../src/contract/limits.ts'
import { decodeDataUrl } from '../../src/contract/payload.ts'
import { parseWebhook } from '../../src/contract/webhook.ts'
import { refuseTooLong } from '../../src/intake/receive.ts'
import { renderSettingsSchema } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'
import { png } from '../support/files.ts'
import { completed } from '../support/webhooks.ts'

const dataUrl = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`
const picture = png(8, 8, [10, 20, 30])
const large = Buffer.alloc(5_000_000, picture)
const image = (url: string, alt = '') => ({ type: 'image', url, alt })

function read(data: object, blocks: unknown[] = [{ type: 'paragraph', content: 'Text.' }]) {
  const webhook = completed({ blocks })
  const parsed = refuseTooLong(
    parseWebhook({ ...webhook, data: { title: 'Tides', content: { content: blocks }, ...data } }),
  )
  if (!parsed.ok || parsed.normalised === undefined) throw new Error(JSON.stringify(parsed))
  return parsed.normalised
}

describe('a file in an address', () => {
  it('may be as long as a body: as a picture, the featured image or the narration', () => {
    for (const normalised of [
      read({}, [image(dataUrl(large))]),
      read({ featured_image: dataUrl(large) }),
      read({ featured_image: { url: dataUrl(large), alt: 'x' } }),
      read({ audio: dataUrl(large, 'audio/mpeg') }),
    ]) {
      const [[address, url] = ['', '']] = normalised.inlineFiles
      expect(decodeDataUrl(url).bytes.equals(large)).toBe(true)
      expect(address).toMatch(/^data:sha256-[\da-f]{32}$/)
      expect(JSON.stringify(normalised.document)).toContain(address)
      expect(JSON.stringify(normalised.document).length).toBeLessThan(1_000)
      expect(maxMarkupBytes(normalised)).toBeLessThan(LIMITS.markupReceived)
      expect(normalised.warnings).toEqual([])
    }
  })

  it.each<[string, object]>([
    ['of a figure', { type: 'figure', src: dataUrl(large), caption: 'x' }],
    ['with an address alone', { type: 'unheard_of', url: dataUrl(large) }],
    ['in a list of addresses', { type: 'slides', images: [dataUrl(large)] }],
    ['in a member with a name of its own', { type: 'film', text: 'x', poster: dataUrl(large) }],
    ['in a card', { type: 'card', title: 'x', image: { url: dataUrl(large) } }],
  ])('stays a picture in a block that is not known: %s', (_name, block) => {
    const { document, inlineFiles, warnings } = read({}, [block])
    expect(inlineFiles.size).toBe(1)
    expect(document.blocks.filter(({ type }) => type === 'image')).toHaveLength(1)
    expect(JSON.stringify([document, warnings])).not.toContain('base64')
  })

  it('is one file for the same bytes, however they are written', () => {
    const base64 = picture.toString('base64')
    const { document, inlineFiles } = read({ featured_image: dataUrl(picture) }, [
      image(dataUrl(picture, 'image/jpeg')),
      image(` DATA:image/png;charset=utf-8;BASE64,${encodeURIComponent(base64)}`),
      image(`data:image/png;base64,${base64.match(/.{1,20}/g)?.join('\n')}`),
    ])
    expect(inlineFiles.size).toBe(1)
    const urls = document.blocks.map((block) => 'url' in block && block.url)
    expect(new Set([...urls, document.featuredImage?.url]).size).toBe(1)
  })

  it.each([
    ['nothing', 'data:image/png;base64,', ''],
    ['what is no base64', 'data:image/png;base64,é%é!', ''],
    ['plain text', 'data:image/svg+xml;utf8,<svg%20/>', '<svg />'],
    ['text with a lone percent sign', 'data:text/plain,100%', '100%'],
    ['no type', 'data:,x', 'x'],
  ])('that is broken is a file all the same: %s', (_name, url, bytes) => {
    const { inlineFiles } = read({}, [image(url)])
    expect([...inlineFiles.values()]).toEqual([url])
    expect(decodeDataUrl(url).bytes.toString()).toBe(bytes)
  })

  it('counts as text where it stands in a text', () => {
    const words = { type: 'paragraph', content: dataUrl(picture) }
    const more = read({}, [words, image(dataUrl(picture))]).size.text - read({}, [words, image('')]).size.text
    expect(more).toBe(0)
    expect(read({}, [words]).size.text).toBeGreaterThan(dataUrl(picture).length)
    const webhook = completed({ blocks: [{ type: 'paragraph', content: dataUrl(large) }] })
    expect(refuseTooLong(parseWebhook(webhook))).toMatchObject({
      ok: false,
      issues: [{ message: expect.stringContaining('bytes of markup') }],
    })
  })

  it('lifts no other limit: text beside it is counted as ever', () => {
    const words = { type: 'paragraph', content: 'x'.repeat(LIMITS.textLength + 1) }
    expect(parseWebhook(completed({ blocks: [image(dataUrl(picture)), words] }))).toMatchObject({
      ok: false,
      issues: [{ message: expect.stringContaining('characters of text') }],
    })
  })

  it('is not what a link may lead to: the words stay, and a warning says so in short', () => {
    const { document } = read({}, [
      { type: 'paragraph', content: [{ type: 'link', url: dataUrl(large), text: 'the chart' }] },
    ])
    const { markup, warnings } = renderDocument(document, {
      format: 'block',
      media: new Map(),
      settings: renderSettingsSchema.parse({}),
    })
    expect(markup).toContain('<p>the chart</p>')
    expect(warnings).toEqual([{ code: 'link_unsafe', message: expect.stringContaining('data:sha256-') }])
  })
})
