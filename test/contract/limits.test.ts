import { describe, expect, it } from 'vitest'
import { normaliseDocument } from '../../src/blocks/read.ts'
import { LIMITS, type LimitCode, LimitError } from '../../src/contract/limits.ts'
import { countTextUnits, findLimitViolationInBody, parseJsonBody } from '../../src/contract/payload.ts'
import { parseWebhook } from '../../src/contract/webhook.ts'
import { refuseTooLong } from '../../src/intake/receive.ts'

const documentOf = (content: unknown[]) => ({
  title: 'T',
  description: undefined,
  audio_url: undefined,
  content: { audio_url: undefined, content },
})

/** A list inside a list, `depth` times. */
function listInList(depth: number): unknown {
  let list: unknown = { type: 'list', items: ['innermost'] }
  for (let level = 1; level < depth; level += 1)
    list = { type: 'list', items: [{ text: 'x', children: [list] }] }
  return list
}

describe('limits', () => {
  it('let lists nest to the limit', () => {
    expect(normaliseDocument(documentOf([listInList(LIMITS.listDepth)])).warnings).toEqual([])
  })

  it.each([LIMITS.listDepth + 1, 1_000, 100_000])('answer for %i lists inside each other', (depth) => {
    expect(() => normaliseDocument(documentOf([listInList(depth)]))).toThrow(
      expect.objectContaining({ code: 'document_too_deep', httpStatus: 422, action: 'permanent' }),
    )
  })

  it('answer for a hundred thousand formats inside each other', () => {
    let inline: unknown = 'text'
    for (let level = 0; level < 100_000; level += 1) inline = { type: 'bold', children: [inline] }
    expect(() => normaliseDocument(documentOf([{ type: 'paragraph', content: [inline] }]))).toThrow(
      expect.objectContaining({ code: 'document_too_deep' }),
    )
  })

  it('answer for too many blocks, list items counted', () => {
    const items = Array.from({ length: LIMITS.blocks }, () => 'item')
    expect(() => normaliseDocument(documentOf([{ type: 'list', items }]))).toThrow(
      expect.objectContaining({ code: 'document_too_many_blocks' }),
    )
  })

  it('answer for too much text', () => {
    expect(() => countTextUnits({ text: 'x'.repeat(LIMITS.textLength + 1) })).toThrow(
      expect.objectContaining({ code: 'document_too_long' }),
    )
    expect(countTextUnits({ text: 'x'.repeat(LIMITS.textLength) })).toBe(LIMITS.textLength)
  })
})

const paragraph = (inline: unknown) => ({ type: 'paragraph', content: [inline] })
const image = (members: object) => ({ type: 'image', url: 'https://example.com/a.png', ...members })
const long = (length: number) => 'x'.repeat(length + 1)

/** A little more than each limit allows, and where it is said to be. */
const beyond: [what: string, code: string, path: string, blocks: unknown[]][] = [
  [
    'a table whose rows are widened to its header',
    'document_too_many_cells',
    'data.content.content.0.rows',
    [{ type: 'table', headers: Array(7_000).fill(''), rows: Array(7_000).fill({}) }],
  ],
  [
    'a table whose rows are widened to one of them',
    'document_too_many_cells',
    'data.content.content.1.rows',
    ['x', { type: 'table', rows: [Array(1_000).fill(''), ...Array(50).fill([])] }],
  ],
  [
    'a table whose rows name columns that no other has',
    'document_too_many_cells',
    'data.content.content.0.rows',
    [
      {
        type: 'table',
        rows: [
          Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`c${index}`, ''])),
          ...Array(50).fill({}),
        ],
      },
    ],
  ],
  [
    'tables that are too many together',
    'document_too_many_cells',
    'data.content.content.2.rows',
    Array(3).fill({ type: 'table', headers: Array(400).fill(''), rows: Array(100).fill([]) }),
  ],
  [
    'texts and formats',
    'document_too_many_inlines',
    'data.content.content.0',
    [{ type: 'paragraph', content: Array(LIMITS.inlines + 1).fill('x') }],
  ],
  [
    'paragraphs of a quote',
    'document_too_many_blocks',
    'data.content.content.0',
    [{ type: 'quote', text: 'x\n\n'.repeat(LIMITS.blocks + 1) }],
  ],
  [
    'pictures amid a paragraph',
    'document_too_many_blocks',
    'data.content.content.0',
    [{ type: 'paragraph', content: Array(LIMITS.blocks + 1).fill(image({})) }],
  ],
  [
    'pictures',
    'document_too_many_files',
    `data.content.content.${LIMITS.files}`,
    Array.from({ length: LIMITS.files + 1 }, (_, index) =>
      image({ url: `https://example.com/${index}.png` }),
    ),
  ],
  [
    'alternative text',
    'document_alt_too_long',
    'data.content.content.0.alt',
    [image({ alt: long(LIMITS.alternativeText) })],
  ],
  [
    'a title of a picture',
    'document_line_too_long',
    'data.content.content.0.title',
    [image({ title: long(LIMITS.line) })],
  ],
  [
    'an address of a picture',
    'document_address_too_long',
    'data.content.content.0.url',
    [image({ url: long(LIMITS.address) })],
  ],
  [
    'an address of a link',
    'document_address_too_long',
    'data.content.content.0.url',
    [paragraph({ type: 'link', href: long(LIMITS.address), text: 'x' })],
  ],
  [
    'an address given as a mark',
    'document_address_too_long',
    'data.content.content.0.url',
    [paragraph({ text: 'x', url: long(LIMITS.address) })],
  ],
  [
    'an address of what is not known',
    'document_address_too_long',
    'data.content.content.0.url',
    [{ type: 'gallery', url: long(LIMITS.address) }],
  ],
  [
    'an address of a sound',
    'document_address_too_long',
    'data.content.content.0.url',
    [{ type: 'audio', url: long(LIMITS.address) }],
  ],
  [
    'an anchor',
    'document_line_too_long',
    'data.content.content.0.anchor',
    [{ type: 'heading', level: 2, text: 'x', anchor: long(LIMITS.line) }],
  ],
  [
    'a language',
    'document_line_too_long',
    'data.content.content.0.language',
    [{ type: 'code', value: 'x', language: long(LIMITS.line) }],
  ],
  [
    'values that say nothing',
    'document_too_many_values',
    'data.content',
    [{ type: 'paragraph', content: Array(LIMITS.values).fill(null) }],
  ],
]

const webhookOf = (data: unknown, metadata: unknown = {}) => ({
  event: 'document.completed',
  id: '0d9f3c1e-6a57-4c55-9c8b-3f1f6c9f2a10',
  data,
  delivery: { id: '5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11', metadata },
})
const issuesOf = (webhook: unknown) => {
  const parsed = refuseTooLong(parseWebhook(webhook))
  return parsed.ok ? [] : parsed.issues
}

describe('what a document would become', () => {
  it.each(beyond)('is refused for %s', (_what, code, path, blocks) => {
    const { message } = new LimitError(code as LimitCode)
    expect(issuesOf(webhookOf(documentOf(blocks)))).toEqual([{ path, message }])
    expect(() => normaliseDocument(documentOf(blocks))).toThrow(
      expect.objectContaining({ code, path, httpStatus: 422 }),
    )
  })

  it('is refused for a title, a slug and a description that are too long', () => {
    const { content } = documentOf(['x'])
    const meta = { title: 'T', slug: long(LIMITS.line), description: undefined }
    expect(issuesOf(webhookOf({ title: long(LIMITS.line), content }))[0]?.path).toBe('data.title')
    expect(issuesOf(webhookOf({ title: 'T', content: { ...content, meta } }))[0]?.path).toBe(
      'data.content.meta.slug',
    )
    expect(issuesOf(webhookOf({ title: 'T', description: long(LIMITS.description), content }))[0]?.path).toBe(
      'data.description',
    )
  })

  it('is refused for more markup than WordPress takes, however little text there is', () => {
    const text = '['.repeat(LIMITS.markupReceived / 5)
    expect(issuesOf(webhookOf(documentOf([text])))).toMatchObject([
      { message: expect.stringContaining('bytes of markup') },
    ])
  })

  it.each([
    ['numbers', { type: 'paragraph', content: Array(150_000).fill(1.2345678901234567e-100) }],
    [
      'names of members, which become a header',
      {
        type: 'table',
        rows: [
          Object.fromEntries(Array.from({ length: 45 }, (_, at) => [`${at}${'x'.repeat(100_000)}`, 'x'])),
        ],
      },
    ],
  ])('is refused for more markup than WordPress takes, where it comes of %s', (_what, block) => {
    expect(issuesOf(webhookOf(documentOf([block])))).toMatchObject([
      { message: expect.stringContaining('bytes of markup') },
    ])
  })

  it('is refused for names that are too many or too long', () => {
    const path = 'delivery.metadata.tags'
    const wrong = (tags: unknown[]) => issuesOf(webhookOf(documentOf(['x']), { tags }))
    expect(wrong(Array(LIMITS.terms + 1).fill('x'))).toMatchObject([
      { path, message: expect.stringContaining('at most 100') },
    ])
    expect(wrong([long(LIMITS.termName)])).toMatchObject([
      { path: `${path}.0`, message: expect.stringContaining('at most 200') },
    ])
    expect(wrong([' '.repeat(120_000)])).toHaveLength(1)
    expect(
      wrong([
        Array(5)
          .fill('x'.repeat(LIMITS.termName - 5))
          .join(' > '),
      ]),
    ).toEqual([])
  })

  it('names a few of many mistakes, each in a few words', () => {
    const issues = issuesOf(
      webhookOf(documentOf(['x']), { categories: Array(100).fill(7), tags: Array(100).fill(7) }),
    )
    expect(issues).toHaveLength(LIMITS.issues)
    const text = 'x'.repeat(1_000_000)
    expect(JSON.stringify(issuesOf({ event: text })).length).toBeLessThan(1_000)
  })

  it('has a few warnings, each in a few words', () => {
    const type = 'x'.repeat(1_000)
    const { warnings } = normaliseDocument(documentOf(Array(1_000).fill({ type, text: 'x', level: type })))
    expect(warnings).toHaveLength(LIMITS.warnings)
    expect(warnings.at(-1)).toEqual({
      code: 'warnings_left_out',
      message: '901 more of such warnings are not listed.',
    })
    expect(JSON.stringify(warnings).length).toBeLessThan(LIMITS.warnings * 700)
  })

  it('is let through for an honest large document', () => {
    const words = 'word '.repeat(10_000)
    const cells = Array.from({ length: 1_000 }, () =>
      Array(20).fill([{ type: 'bold', text: 'a cell of this many' }, ' characters']),
    )
    const article = Array.from({ length: 300 }, () => ({ type: 'paragraph', text: words.slice(0, 200) }))
    const pictures = Array.from({ length: 200 }, (_, index) =>
      image({ url: `https://example.com/${index}.png`, alt: 'A harbour' }),
    )
    const table = { type: 'table', headers: Array(20).fill('H'), rows: cells }
    expect(issuesOf(webhookOf(documentOf([...article, words, table, ...pictures])))).toEqual([])
  })
})

describe('a body before it is parsed', () => {
  const bodyOf = (value: unknown) => Buffer.from(JSON.stringify(value))

  it('is refused for more values than a payload may have', () => {
    expect(() => parseJsonBody(bodyOf(Array(LIMITS.values + 1).fill({})))).toThrow(
      expect.objectContaining({ code: 'document_too_many_values' }),
    )
  })

  it('is not refused for what stands in its strings', () => {
    expect(findLimitViolationInBody(bodyOf(['"\\,[{'.repeat(LIMITS.values)]))).toBeUndefined()
  })
})
