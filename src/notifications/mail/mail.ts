import { z } from 'zod'
import type { Language, LanguageCode } from '../../lib/sentences.ts'
import { pluralize } from '../../lib/text.ts'
import { emptyHtml, html, languageOf } from '../../pages/page.ts'
import { type NotificationEvent, notificationEvents, outcomes, pageOf } from '../outcomes.ts'
import { headingOf, type OutcomeWords, singleLine, toldSchema, wordsOf } from '../words.ts'

export interface MailContent {
  subject: string
  text: string
  html: string
}

export function renderMail(body: MailBody, publicUrl: string, code: LanguageCode): MailContent {
  const language = languageOf(code)
  const subject = mailSubject(body, language)
  const all = Object.values(body.counts).reduce((sum, count) => sum + count, 0)
  const told = body.items.map((item) => wordsOf(item, publicUrl, language))
  const notes = [
    ...(all > told.length
      ? [
          language.format('And {more}: {url}', {
            more: language.translate(pluralize(all - told.length, 'more', 'more')),
            url: `${publicUrl}/${listOf(Object.keys(body.counts) as NotificationEvent[])}`,
          }),
        ]
      : []),
    ...(body.sample ? [language.format('This is a sample: nothing of it has happened.')] : []),
    language.format('Galley at {url} sent this to "{name}". You can change there who is notified.', {
      url: publicUrl,
      name: singleLine(body.receiver.name),
    }),
  ]
  const texts = told.map(({ heading, lines, link, post }) =>
    [
      heading,
      ...lines,
      ...(post === undefined ? [] : [language.format('Post: {post}', { post })]),
      link,
    ].join('\n'),
  )
  return {
    subject,
    text: [...texts, ...notes].join('\n\n'),
    html: renderHtml(code, subject, told, notes),
  }
}

/** The page that lists what these are about; the first one, where they are about different things. */
function listOf(events: readonly NotificationEvent[]): string {
  const [list = '', ...others] = new Set(events.map((event) => pageOf(event, '').split('/')[0]))
  return others.length === 0 ? list : ''
}

const STYLE = {
  page: 'font-family: system-ui, sans-serif; font-size: 15px; line-height: 1.5; color: #1e1e1e; max-width: 40em',
  heading: 'font-size: 16px; margin: 24px 0 4px',
  line: 'margin: 0 0 4px',
  note: 'margin: 24px 0 0; font-size: 13px; color: #646970',
}

const renderHtml = (
  code: LanguageCode,
  subject: string,
  told: readonly OutcomeWords[],
  notes: readonly string[],
) =>
  html`<!doctype html>
<html lang="${code}"><head><meta charset="utf-8"><title>${subject}</title></head>
<body style="${STYLE.page}">
${told.map(
  ({ heading, lines, link, post }) => html`<h2 style="${STYLE.heading}"><a href="${link}">${heading}</a></h2>
${lines.map((line) => html`<p style="${STYLE.line}">${line}</p>\n`)}${
  post === undefined ? emptyHtml : html`<p style="${STYLE.line}"><a href="${post}">${post}</a></p>\n`
}`,
)}${notes.map((note) => html`<p style="${STYLE.note}">${note}</p>\n`)}</body></html>`.text

/** The outbox's body of a mail, rendered anew for each attempt. */
export const mailBodySchema = z.object({
  event: z.string(),
  id: z.string(),
  created_at: z.string(),
  sample: z.literal(true).optional(),
  receiver: z.object({ name: z.string() }),
  /** The most urgent ones first. */
  items: z.array(toldSchema),
  /** By event, with those that are not among the items. */
  counts: z.partialRecord(z.enum(notificationEvents), z.int()),
})

type MailBody = z.output<typeof mailBodySchema>

function mailSubject({ items, counts, sample }: MailBody, language: Language): string {
  const [first] = items
  const many = notificationEvents.flatMap((event) => {
    const count = counts[event] ?? 0
    return count === 0 ? [] : [language.translate(outcomes[event].several(count))]
  })
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const subject = all === 1 && first !== undefined ? headingOf(first, language) : many.join(', ')
  return sample ? language.format('Sample: {subject}', { subject }) : subject
}
