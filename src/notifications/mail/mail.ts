import { html, nothing } from '../../pages/html.ts'
import { counted } from '../../text.ts'
import type { MailBody } from './body.ts'
import { type MailText, mailTextOf, plain, subjectOf } from './words.ts'

/** A mail, before it is written as mail is. */
export interface Mail {
  subject: string
  text: string
  html: string
}

/** Makes the mail that tells this, the same each time. */
export function mailOf(body: MailBody, publicUrl: string): Mail {
  const subject = subjectOf(body)
  const all = Object.values(body.counts).reduce((sum, count) => sum + count, 0)
  const told = body.items.map((item) => mailTextOf(item, publicUrl))
  const notes = [
    ...(all > told.length
      ? [`And ${counted(all - told.length, 'more', 'more')}: ${publicUrl}/deliveries`]
      : []),
    ...(body.sample ? ['This is a sample: nothing of it has happened.'] : []),
    `Galley at ${publicUrl} sent this to "${plain(body.receiver.name)}". You can change there who is notified.`,
  ]
  return { subject, text: textOf(told, notes), html: htmlOf({ subject, told, notes }) }
}

const textOf = (told: readonly MailText[], notes: readonly string[]): string =>
  [
    ...told.map(({ heading, lines, link, post }) =>
      [heading, ...lines, ...(post === undefined ? [] : [`Post: ${post}`]), link].join('\n'),
    ),
    ...notes,
  ].join('\n\n')

const STYLE = {
  page: 'font-family: system-ui, sans-serif; font-size: 15px; line-height: 1.5; color: #1e1e1e; max-width: 40em',
  heading: 'font-size: 16px; margin: 24px 0 4px',
  line: 'margin: 0 0 4px',
  note: 'margin: 24px 0 0; font-size: 13px; color: #646970',
}

const htmlOf = ({
  subject,
  told,
  notes,
}: {
  subject: string
  told: readonly MailText[]
  notes: readonly string[]
}) =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${subject}</title></head>
<body style="${STYLE.page}">
${told.map(
  ({ heading, lines, link, post }) => html`<h2 style="${STYLE.heading}"><a href="${link}">${heading}</a></h2>
${lines.map((line) => html`<p style="${STYLE.line}">${line}</p>\n`)}${
  post === undefined ? nothing : html`<p style="${STYLE.line}"><a href="${post}">${post}</a></p>\n`
}`,
)}${notes.map((note) => html`<p style="${STYLE.note}">${note}</p>\n`)}</body></html>`.text
