import { z } from 'zod'
import { excerpt, pluralize } from '../../lib/text.ts'
import { emptyHtml, html } from '../../pages/page.ts'
import { type NotificationEvent, notificationEvents } from '../notify.ts'

interface Mail {
  subject: string
  text: string
  html: string
}

/** Renders a mail, deterministically. */
export function renderMail(body: MailBody, publicUrl: string): Mail {
  const subject = mailSubject(body)
  const all = Object.values(body.counts).reduce((sum, count) => sum + count, 0)
  const told = body.items.map((item) => mailText(item, publicUrl))
  const notes = [
    ...(all > told.length
      ? [`And ${pluralize(all - told.length, 'more', 'more')}: ${publicUrl}/deliveries`]
      : []),
    ...(body.sample ? ['This is a sample: nothing of it has happened.'] : []),
    `Galley at ${publicUrl} sent this to "${singleLine(body.receiver.name)}". You can change there who is notified.`,
  ]
  return { subject, text: renderText(told, notes), html: renderHtml({ subject, told, notes }) }
}

const renderText = (told: readonly MailText[], notes: readonly string[]): string =>
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

const renderHtml = ({
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
  post === undefined ? emptyHtml : html`<p style="${STYLE.line}"><a href="${post}">${post}</a></p>\n`
}`,
)}${notes.map((note) => html`<p style="${STYLE.note}">${note}</p>\n`)}</body></html>`.text

const link = z.string().nullish()

/** What a mail tells of a delivery or site; the members depend on the event. */
const data = z.object({
  id: z.string(),
  title: z.string().nullish(),
  name: z.string().nullish(),
  url: link,
  error: z.object({ message: z.string() }).nullish(),
  trouble: z.object({ message: z.string() }).nullish(),
  what_to_do: z.string().nullish(),
  site: z.object({ name: z.string() }).nullish(),
  post: z.object({ url: link, edit_url: link }).nullish(),
  findings: z.array(z.object({ seen: z.string(), means: z.string(), todo: z.string().nullable() })).nullish(),
})

const item = z.object({ event: z.enum(notificationEvents), at: z.string(), data })

/** The outbox's body of a mail, rendered anew for each attempt. */
export const mailBodySchema = z.object({
  event: z.string(),
  id: z.string(),
  created_at: z.string(),
  sample: z.literal(true).optional(),
  receiver: z.object({ name: z.string() }),
  /** The most urgent ones first. */
  items: z.array(item),
  /** By event, with those that are not among the items. */
  counts: z.partialRecord(z.enum(notificationEvents), z.int()),
})

type MailBody = z.output<typeof mailBodySchema>
type MailItem = MailBody['items'][number]

interface MailText {
  heading: string
  lines: string[]
  /** Opens exactly this delivery or site. */
  link: string
  post: string | undefined
}

/** Most characters of a title or name, and of a sentence. */
const MAX_LENGTHS = { name: 150, sentence: 1_000 }

/** Direction marks, which could disguise an address. */
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Outside text as part of one line: it can begin no other line and no header. */
export const singleLine = (text: string, most: number = MAX_LENGTHS.sentence): string =>
  excerpt(
    text
      .replace(BIDI_CONTROLS, '')
      .replace(/[\p{Cc}\s\u2028\u2029]+/gu, ' ')
      .trim(),
    most,
  )

const HEADINGS: Record<NotificationEvent, (what: string) => string> = {
  'site.outage': (site) => `In trouble: ${site}`,
  'site.recovered': (site) => `Works again: ${site}`,
  'site.regression': (site) => `Worse than at the last check: ${site}`,
  'delivery.held': (title) => `Held: ${title}`,
  'delivery.failed': (title) => `Failed: ${title}`,
  'delivery.delivered': (title) => `Delivered: ${title}`,
}

const EVENT_COUNTS: Record<NotificationEvent, (count: number) => string> = {
  'site.outage': (count) => `${pluralize(count, 'site')} in trouble`,
  'delivery.failed': (count) => `${pluralize(count, 'delivery', 'deliveries')} failed`,
  'delivery.held': (count) => `${pluralize(count, 'delivery', 'deliveries')} held`,
  'site.regression': (count) => `${pluralize(count, 'site')} worse than at the last check`,
  'site.recovered': (count) => `${pluralize(count, 'site')} working again`,
  'delivery.delivered': (count) => `${pluralize(count, 'delivery', 'deliveries')} delivered`,
}

function mailSubject({ items, counts, sample }: MailBody): string {
  const [first] = items
  const many = (Object.keys(EVENT_COUNTS) as NotificationEvent[]).flatMap((event) => {
    const count = counts[event] ?? 0
    return count === 0 ? [] : [EVENT_COUNTS[event](count)]
  })
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const subject = all === 1 && first !== undefined ? headingOf(first) : many.join(', ')
  return sample ? `Sample: ${subject}` : subject
}

function mailText(item: MailItem, publicUrl: string): MailText {
  const { event, data } = item
  const place = event.startsWith('site.') ? 'sites' : 'deliveries'
  const shown = data.post?.url ?? undefined
  return {
    heading: headingOf(item),
    lines: sentencesOf(data).map((sentence) => singleLine(sentence)),
    link: `${publicUrl}/${place}/${encodeURIComponent(data.id)}`,
    post: shown !== undefined && /^https?:\/\//.test(shown) ? shown : undefined,
  }
}

function headingOf({ event, data: { title, name, site } }: MailItem): string {
  if (event.startsWith('site.')) return HEADINGS[event](singleLine(name ?? 'a site', MAX_LENGTHS.name))
  const on = site ? ` (${singleLine(site.name, MAX_LENGTHS.name)})` : ''
  return HEADINGS[event](`${singleLine(title ?? 'a document without a title', MAX_LENGTHS.name)}${on}`)
}

function sentencesOf({ error, trouble, what_to_do: todo, findings }: MailItem['data']): string[] {
  if (findings) return findings.map(({ seen, means, todo }) => [seen, means, todo].filter(Boolean).join(' '))
  const said = [error?.message, trouble?.message, todo].filter((sentence) => typeof sentence === 'string')
  return [...new Set(said)]
}
