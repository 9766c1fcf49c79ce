import { expect, test } from 'vitest'
import { formatOutcome } from '../../src/notifications/chat.ts'
import {
  type NotificationEvent,
  notificationEvents,
  outcomePayload,
  sampleData,
} from '../../src/notifications/outcomes.ts'

const PUBLIC_URL = 'https://galley.example.com'

const bodyOf = (event: NotificationEvent, more: object = {}) => ({
  event,
  id: '018f3c1e-6a11-7c55-8f21-0a1b2c3d4e5f',
  created_at: '2026-01-01T12:00:00.000Z',
  data: { ...sampleData(event), ...more },
})

const message = (format: 'slack' | 'teams', body: object) =>
  JSON.parse(formatOutcome(format, Buffer.from(JSON.stringify(body)), PUBLIC_URL).toString())

/** Text that both chats would read as links, mentions and formats. */
const HOSTILE = '*bold* <!channel> [link](https://evil.example) & <https://evil.example|here> {{DATE(2026)}}'

test.each(notificationEvents)('the sample of %s is as OpenAPI describes it', (event) => {
  expect(outcomePayload(event).safeParse({ ...bodyOf(event), sample: true }).error).toBeUndefined()
})

test.each(notificationEvents)('%s is a message of Slack within its limits, with what to open', (event) => {
  const { text, blocks } = message('slack', bodyOf(event))
  expect(text).not.toBe('')
  const [header, ...others] = blocks
  expect(header).toEqual({
    type: 'header',
    text: { type: 'plain_text', text: expect.any(String), emoji: false },
  })
  expect(header.text.text.length).toBeLessThanOrEqual(150)
  expect(blocks.length).toBeLessThanOrEqual(50)
  for (const section of others.slice(0, -1)) {
    expect(section).toMatchObject({ type: 'section', text: { type: 'plain_text' } })
    expect(section.text.text.length).toBeLessThanOrEqual(3_000)
  }
  expect(others.at(-1)).toMatchObject({
    type: 'context',
    elements: [{ type: 'mrkdwn', text: expect.stringContaining(`<${PUBLIC_URL}/`) }],
  })
})

test.each(notificationEvents)(
  '%s is an Adaptive Card in the message that a workflow of Teams takes',
  (event) => {
    const sent = message('teams', bodyOf(event))
    expect(sent).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: { type: 'AdaptiveCard', version: '1.4' },
        },
      ],
    })
    for (const block of sent.attachments[0].content.body) expect(block.type).toBe('RichTextBlock')
    expect(sent.attachments[0].content.actions[0].url).toMatch(PUBLIC_URL)
  },
)

test('a long heading is cut, and no character in half', () => {
  for (const title of ['', 'x'].map((first) => first + '🌊'.repeat(100))) {
    const { blocks } = message('slack', bodyOf('delivery.held', { title }))
    const { text } = blocks[0].text
    expect(text.length).toBeGreaterThanOrEqual(149)
    expect(text.length).toBeLessThanOrEqual(150)
    expect(text).toMatch(/…$/)
    expect(text).not.toMatch(/\p{Cs}/u)
  }
})

test('a message names the post, what happened, and opens delivery and post', () => {
  const held = bodyOf('delivery.held')
  const slack = message('slack', held)
  expect(slack.text).toBe('Held: How tides come about (Harbour News)')
  expect(slack.blocks[1].text.text).toContain('what happened')
  expect(slack.blocks.at(-1).elements[0].text).toBe(
    `<${PUBLIC_URL}/deliveries/${held.data.id}|Open in Galley> · <https://example.com/how-tides-come-about/|View the post>`,
  )
  expect(message('teams', held).attachments[0].content.actions).toEqual([
    { type: 'Action.OpenUrl', title: 'Open in Galley', url: `${PUBLIC_URL}/deliveries/${held.data.id}` },
    { type: 'Action.OpenUrl', title: 'View the post', url: 'https://example.com/how-tides-come-about/' },
  ])
})

test('text of a document is shown as it is, and is never a link, a mention or a format', () => {
  const body = bodyOf('delivery.failed', {
    title: HOSTILE,
    error: { code: 'x', message: `${HOSTILE}\n<@U1>`, step: 'fill' },
    post: { id: 1, url: 'https://example.com/a|b>c/', edit_url: null, status: 'publish' },
  })
  const { text, blocks } = message('slack', body)
  expect(text).toContain('&lt;!channel&gt;')
  expect(text).not.toMatch(/<|>/)
  const marked = blocks.filter((block: object) => JSON.stringify(block).includes('mrkdwn'))
  expect(marked).toHaveLength(1)
  expect(marked[0].elements[0].text).toContain('<https://example.com/a%7Cb%3Ec/|View the post>')
  expect(blocks[1].text).toEqual({ type: 'plain_text', text: `${HOSTILE} <@U1>`, emoji: false })
  const { body: card } = message('teams', body).attachments[0].content
  expect(card[0].inlines[0]).toMatchObject({ type: 'TextRun', text: `Failed: ${HOSTILE} (Harbour News)` })
})

test('losses are named, and a sample says that it is one', () => {
  const said = JSON.stringify(message('slack', { ...bodyOf('delivery.incomplete'), sample: true }))
  expect(said).toContain('A real one says here what is missing.')
  expect(said).toContain('This is a sample: nothing of it has happened.')
})

test('the address of a post that is no web address is left out', () => {
  const post = { id: 1, url: 'javascript:alert(1)', edit_url: null, status: 'publish' }
  expect(message('teams', bodyOf('delivery.held', { post })).attachments[0].content.actions).toHaveLength(1)
})

test('many lines of a check are cut to what chats take', () => {
  const findings = Array.from({ length: 40 }, () => ({ seen: 'x'.repeat(2_000), means: 'y', todo: null }))
  const sent = JSON.stringify(message('teams', bodyOf('site.regression', { findings })))
  // Teams refuses more than 28 KB.
  expect(sent.length).toBeLessThan(28_000)
})
