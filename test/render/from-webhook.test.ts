import { describe, expect, it } from 'vitest'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { LIMITS } from '../../src/contract/limits.ts'
import { parseWebhook } from '../../src/contract/webhook.ts'
import { renderSettingsSchema } from '../../src/render/options.ts'
import { renderDocument } from '../../src/render/render.ts'
import { completed } from '../support/webhooks.ts'

/** The whole way from a webhook's bytes to a post's markup. @throws Error with what is said where it ends */
function post(block: string, format: 'block' | 'classic'): string {
  const body = JSON.stringify(completed({ blocks: ['BLOCK'] })).replace('"BLOCK"', () => block)
  const parsed = parseWebhook(JSON.parse(body))
  if (!parsed.ok) throw new Error(parsed.issues.map(({ message }) => message).join('\n'))
  if (parsed.event.event !== 'document.completed') throw new Error(`got a ${parsed.event.event}`)
  const { document } = normaliseDocument(parsed.event.data)
  const settings = renderSettingsSchema.parse({})
  return renderDocument(document, { format, settings, media: new Map() }).markup
}

/** Written as text, since `JSON.stringify` could not write what is nested this deeply. */
const nested = (open: string, innermost: string, close: string, times: number): string =>
  open.repeat(times) + innermost + close.repeat(times)

const lists = (depth: number): string =>
  nested('{"type":"list","items":[{"text":"x","children":[', '', ']}]}', depth)
const formats = (depth: number): string =>
  `{"type":"paragraph","content":[${nested('{"type":"bold","content":[', '"x"', ']}', depth)}]}`

describe.each(['block', 'classic'] as const)('from a webhook to a post, as %s', (format) => {
  it.each([LIMITS.listDepth + 1, 1_000, 100_000])('%i lists inside each other are refused', (depth) => {
    expect(() => post(lists(depth), format)).toThrow('nested too deeply')
  })

  it('lists nest to the limit', () => {
    expect(post(lists(LIMITS.listDepth), format).match(/<ul/g)).toHaveLength(LIMITS.listDepth)
  })

  it.each([1_000, 100_000])('%i formats inside each other are refused', (depth) => {
    expect(() => post(formats(depth), format)).toThrow('nested too deeply')
  })

  it('formats nest as deep as a payload may', () => {
    expect(post(formats(LIMITS.jsonDepth / 2 - 10), format)).toContain('<p><strong>x</strong></p>')
  })

  it('10,000 blocks become 10,000 blocks', () => {
    const blocks = Array.from({ length: 10_000 }, (_, index) => `{"type":"paragraph","content":"p ${index}"}`)
    expect(post(blocks.join(','), format).match(/<p>p \d+<\/p>/g)).toHaveLength(10_000)
  })
})
