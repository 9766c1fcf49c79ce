import { z } from 'zod'
import { english } from '../lib/sentences.ts'
import { excerpt } from '../lib/text.ts'
import { type OutcomeWords, toldSchema, wordsOf } from './words.ts'

/** How a web address is told: as the contract has it, or as a message of a chat. */
export const receiverFormats = ['standard', 'slack', 'teams'] as const

export type ReceiverFormat = (typeof receiverFormats)[number]

const bodySchema = toldSchema.extend({ sample: z.literal(true).optional() })

/** Lines of one message, of 1,000 characters: Teams refuses more than 28 KB. */
const MAX_LINES = 6

/** Characters of a header, the mark of an excerpt among them: Slack refuses more. */
const MAX_HEADER = 150

/** What is sent of an outcome in this format. @param body as it is stored; @param publicUrl base of links */
export function formatOutcome(format: ReceiverFormat, body: Buffer, publicUrl: string): Buffer {
  if (format === 'standard') return body
  const told = bodySchema.parse(JSON.parse(body.toString('utf8')))
  const { lines, ...words } = wordsOf(told, publicUrl, english)
  const note = told.sample ? ['This is a sample: nothing of it has happened.'] : []
  const message = MESSAGES[format]({ ...words, lines: [...lines.slice(0, MAX_LINES), ...note] })
  return Buffer.from(JSON.stringify(message))
}

const linksOf = ({ link, post }: OutcomeWords): { title: string; url: string }[] => [
  { title: 'Open in Galley', url: new URL(link).href },
  ...(post !== undefined && URL.canParse(post) ? [{ title: 'View the post', url: new URL(post).href }] : []),
]

/** Blocks for an incoming webhook. Outside text is `plain_text`, which Slack does not read for links, mentions and formats. */
function slackMessage(words: OutcomeWords): object {
  const { heading, lines } = words
  const links = linksOf(words).map(
    ({ title, url }) => `<${escapeSlack(url).replaceAll('|', '%7C')}|${title}>`,
  )
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })
  return {
    text: escapeSlack(heading),
    blocks: [
      { type: 'header', text: plain(excerpt(heading, MAX_HEADER - 1)) },
      ...lines.map((line) => ({ type: 'section', text: plain(line) })),
      { type: 'context', elements: [{ type: 'mrkdwn', text: links.join(' · ') }] },
    ],
  }
}

/** As Slack asks for it where it reads a text for links and mentions. */
const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** An Adaptive Card for a webhook of Workflows. Outside text stands in text runs, which Teams does not read for Markdown. */
function teamsMessage(words: OutcomeWords): object {
  const paragraph = (text: string, more: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...more }],
  })
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: words.heading,
    msteams: { width: 'Full' },
    body: [
      paragraph(words.heading, { weight: 'Bolder', size: 'Medium' }),
      ...words.lines.map((line) => paragraph(line)),
    ],
    actions: linksOf(words).map((link) => ({ type: 'Action.OpenUrl', ...link })),
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
}

const MESSAGES = { slack: slackMessage, teams: teamsMessage }
