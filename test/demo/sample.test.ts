import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sampleWebhook } from '../../demo/sample.ts'
import { textsOf } from '../../src/blocks/document.ts'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { type CompletedEvent, parseWebhook } from '../../src/contract/webhook.ts'

const siteId = '11111111-1111-4111-8111-111111111111'
const picturesUrl = 'http://127.0.0.1:1/'

function completed(): CompletedEvent {
  const parsed = parseWebhook(sampleWebhook({ siteId, picturesUrl, postStatus: 'draft' }))
  if (!parsed.ok || parsed.event.event !== 'document.completed') throw new Error(JSON.stringify(parsed))
  return parsed.event
}

const sample = normaliseDocument(completed().data)

it('is understood without a warning', () => {
  expect(sample.warnings).toEqual([])
})

it('shows every block type and every inline kind', () => {
  const { blocks } = sample.document
  expect(new Set(blocks.map(({ type }) => type))).toEqual(
    new Set(['heading', 'paragraph', 'list', 'table', 'code_block', 'image', 'quote']),
  )
  const inlines = textsOf(blocks).flat()
  expect(new Set(inlines.map(({ type }) => type))).toEqual(
    new Set(['text', 'bold', 'italic', 'link', 'code']),
  )
})

it('has ordered, unordered and nested lists', () => {
  const lists = sample.document.blocks.filter((block) => block.type === 'list')
  expect(new Set(lists.map(({ ordered }) => ordered))).toEqual(new Set([true, false]))
  expect(lists.some(({ items }) => items.some((item) => item.blocks.length > 0))).toBe(true)
})

it('uses every shipped picture, each with alternative text, and one of them as the featured image', () => {
  const { blocks, featuredImage } = sample.document
  const images = blocks.filter((block) => block.type === 'image')
  const shipped = readdirSync(new URL('../../demo/pictures/', import.meta.url))
  expect(images.map(({ url }) => url).sort()).toEqual(shipped.map((name) => picturesUrl + name).sort())
  expect(images.filter(({ alt }) => alt === '')).toEqual([])
  expect(images.map(({ url }) => url)).toContain(featuredImage?.url)
})

it('goes to the connected site, with categories and tags, as a new document every time', () => {
  const [first, second] = [completed(), completed()]
  expect(first.delivery).toMatchObject({ id: siteId, postStatus: 'draft' })
  expect(first.delivery?.categories.length).toBeGreaterThan(0)
  expect(first.delivery?.tags.length).toBeGreaterThan(0)
  expect(first.id).not.toBe(second.id)
})
