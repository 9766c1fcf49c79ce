import { describe, expect, it } from 'vitest'
import { otherEventKinds, parseWebhook } from '../../src/contract/webhook.ts'

const documentId = '0b9f6c1e-1111-4222-8333-444455556666'
const siteId = '5f0c2f5e-aaaa-4bbb-8ccc-ddddeeeeffff'

const data = {
  title: 'Title',
  content: { type: 'document', version: '1.0', meta: {}, content: ['Some text.'] },
}
const completed = { event: 'document.completed', id: documentId, status: 'completed', data }

/** The issues of a completed event with these members changed. */
function issuesWith(changes: Record<string, unknown>) {
  const result = parseWebhook({ ...completed, ...changes })
  return result.ok ? [] : result.issues
}

describe('a completed document', () => {
  it('carries the delivery, with categories and tags trimmed and blanks left out', () => {
    const result = parseWebhook({
      ...completed,
      delivery: {
        id: siteId,
        post_status: 'publish',
        metadata: { categories: [' News ', ''], tags: ['a', 'b'] },
      },
    })
    expect(result).toMatchObject({
      ok: true,
      event: {
        id: documentId,
        delivery: { id: siteId, postStatus: 'publish', categories: ['News'], tags: ['a', 'b'] },
      },
    })
  })

  it('is a draft without categories and tags where the delivery names none', () => {
    const result = parseWebhook({ ...completed, delivery: { id: siteId } })
    expect(result).toMatchObject({
      event: { delivery: { id: siteId, postStatus: 'draft', categories: [], tags: [] } },
    })
  })

  it('has no delivery where nobody asked for a site, whether left out or null', () => {
    for (const event of [completed, { ...completed, delivery: null }]) {
      const result = parseWebhook(event)
      expect(result.ok && 'delivery' in result.event).toBe(false)
    }
  })

  it('counts as the same document in whatever case its id is written', () => {
    expect(parseWebhook({ ...completed, id: documentId.toUpperCase() })).toMatchObject({
      event: { id: documentId },
    })
  })

  it('may have its title in the meta of its content alone', () => {
    const content = { ...data.content, meta: { title: 'From meta' } }
    expect(parseWebhook({ ...completed, data: { content } }).ok).toBe(true)
  })
})

describe('a failed document', () => {
  it('says at which step, why and with which code', () => {
    const error = { step: 'generating', message: 'flagged', code: 'CONTENT_MODERATION' }
    expect(parseWebhook({ event: 'document.failed', id: documentId, status: 'failed', error })).toEqual({
      ok: true,
      event: { event: 'document.failed', id: documentId, error },
      ignored: [],
    })
  })

  it('may leave out what the contract shows only by example', () => {
    expect(parseWebhook({ event: 'document.failed', id: documentId, error: { code: 'X' } })).toMatchObject({
      event: { error: { step: '', message: '', code: 'X' } },
    })
  })
})

describe('the other event kinds', () => {
  it.each(otherEventKinds)('%s is taken, whatever else it carries', (event) => {
    expect(parseWebhook({ event, id: 'any', anything: { at: ['all'] } })).toEqual({
      ok: true,
      event: { event, id: 'any' },
      ignored: [],
    })
  })
})

describe('a payload that is refused names the field, what was wrong and what is allowed', () => {
  it.each([
    [
      'an unknown event',
      { event: 'document.begun' },
      'event',
      /one of "document\.completed".*got "document\.begun"/,
    ],
    ['an id that is no whole number', { id: 1.5 }, 'id', /UUID, .*; got 1.5/],
    ['a missing id', { id: undefined }, 'id', /^missing: .*UUID/],
    ['another status', { status: 'failed' }, 'status', /"completed"; got "failed"/],
    ['no data', { data: undefined }, 'data', /^missing: .*"title" and "content"/],
    ['no content', { data: { title: 'T' } }, 'data.content', /^missing: expected the structured document/],
    ['a blank title', { data: { ...data, title: ' ' } }, 'data.title', /not empty.*got " "/],
    [
      'an unknown document format',
      { data: { ...data, content: { ...data.content, version: '2.0' } } },
      'data.content.version',
      /"1\.0".*got "2\.0"/,
    ],
    [
      'blocks that are no array',
      { data: { ...data, content: { ...data.content, content: 'text' } } },
      'data.content.content',
      /array of blocks; got "text"/,
    ],
    [
      'another post status',
      { delivery: { id: siteId, post_status: 'future' } },
      'delivery.post_status',
      /"draft", "publish", "pending"; got "future"/,
    ],
    [
      'a tag that is no string',
      { delivery: { id: siteId, metadata: { tags: ['a', 7] } } },
      'delivery.metadata.tags.1',
      /name of a tag.*got 7/,
    ],
  ])('%s', (_name, changes, path, message) => {
    expect(issuesWith(changes)).toContainEqual({ path, message: expect.stringMatching(message) })
  })

  it.each([[null], [[]], ['text'], [7]])('a body that is no object: %j', (body) => {
    expect(parseWebhook(body)).toMatchObject({ ok: false, issues: [{ path: '', message: /JSON object/ }] })
  })

  it('nesting of any depth, without overflowing the stack', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    expect(issuesWith({ data: deep })).toEqual([
      { path: 'data.content', message: expect.stringMatching(/nested too deeply/) },
    ])
  })
})

describe('what is missing in a document already', () => {
  const warningsOf = (warnings: unknown) => {
    const read = parseWebhook({ ...completed, data: { ...data, warnings } })
    return read.ok && read.normalised?.warnings
  }

  it('is a loss where whoever made it says so', () => {
    const narration = { code: 'narration_left_out', message: 'It is not read aloud.', severity: 'loss' }
    const source = { code: 'SOURCE_GONE', message: 'A source was not found.', severity: 'loss' }
    expect(warningsOf([narration, source, { code: 'format_left_out', message: 'A chart' }])).toEqual([
      { code: 'narration_left_out', message: 'It is not read aloud.' },
      { code: 'sender_loss', message: 'A source was not found.' },
      { code: 'format_left_out', message: 'A chart' },
    ])
  })

  it.each([
    [[{ code: 'keyword_missing', message: 'A keyword is missing.', severity: 'note' }]],
    [[{ code: 'narration_left_out', message: 'Short.', severity: 'note' }]],
    [[{ code: 'unknown', message: 'Who knows?' }, 'text', null, { severity: 'loss' }, { message: 4 }]],
    ['text'],
    [{ severity: 'loss', message: 'no array' }],
  ])('is nothing in %j', (warnings) => {
    expect(warningsOf(warnings)).toEqual([])
  })
})
