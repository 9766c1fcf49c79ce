import { counted, excerpt } from '../../text.ts'
import type { Outcome } from '../receivers/events.ts'
import type { MailBody, MailItem } from './body.ts'

/** What a mail says of one outcome. */
export interface MailText {
  heading: string
  /** What happened and what to do about it, a paragraph each. */
  lines: string[]
  /** Opens exactly this delivery or site. */
  link: string
  /** The post, where there is one to be seen. */
  post: string | undefined
}

/** Longest title or name, and longest sentence, that a mail repeats. */
const LONGEST = { name: 150, sentence: 1_000 }

/** Marks that turn the direction of a text, so that an address in it reads as another one. */
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** A text from outside as a part of one line: nothing in it begins another line, or another header. */
export const plain = (text: string, most: number = LONGEST.sentence): string =>
  excerpt(
    text
      .replace(TURNS, '')
      .replace(/[\p{Cc}\s\u2028\u2029]+/gu, ' ')
      .trim(),
    most,
  )

const HEADINGS: Record<Outcome, (what: string) => string> = {
  'site.outage': (site) => `In trouble: ${site}`,
  'site.recovered': (site) => `Works again: ${site}`,
  'site.regression': (site) => `Worse than at the last check: ${site}`,
  'delivery.held': (title) => `Held: ${title}`,
  'delivery.failed': (title) => `Failed: ${title}`,
  'delivery.delivered': (title) => `Delivered: ${title}`,
}

/** One of a kind, and several. */
const COUNTED: Record<Outcome, (count: number) => string> = {
  'site.outage': (count) => `${counted(count, 'site')} in trouble`,
  'delivery.failed': (count) => `${counted(count, 'delivery', 'deliveries')} failed`,
  'delivery.held': (count) => `${counted(count, 'delivery', 'deliveries')} held`,
  'site.regression': (count) => `${counted(count, 'site')} worse than at the last check`,
  'site.recovered': (count) => `${counted(count, 'site')} working again`,
  'delivery.delivered': (count) => `${counted(count, 'delivery', 'deliveries')} delivered`,
}

/** What a mail is about, in a line. */
export function subjectOf({ items, counts, sample }: MailBody): string {
  const [first] = items
  const many = (Object.keys(COUNTED) as Outcome[]).flatMap((event) => {
    const count = counts[event] ?? 0
    return count === 0 ? [] : [COUNTED[event](count)]
  })
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const subject = all === 1 && first !== undefined ? headingOf(first) : many.join(', ')
  return sample ? `Sample: ${subject}` : subject
}

/** What a mail says of one outcome. @param publicUrl where Galley's page is, without a slash at its end */
export function mailTextOf(item: MailItem, publicUrl: string): MailText {
  const { event, data } = item
  const place = event.startsWith('site.') ? 'sites' : 'deliveries'
  const shown = data.post?.url ?? undefined
  return {
    heading: headingOf(item),
    lines: sentencesOf(data).map((sentence) => plain(sentence)),
    link: `${publicUrl}/${place}/${encodeURIComponent(data.id)}`,
    post: shown !== undefined && /^https?:\/\//.test(shown) ? shown : undefined,
  }
}

function headingOf({ event, data: { title, name, site } }: MailItem): string {
  if (event.startsWith('site.')) return HEADINGS[event](plain(name ?? 'a site', LONGEST.name))
  const on = site ? ` (${plain(site.name, LONGEST.name)})` : ''
  return HEADINGS[event](`${plain(title ?? 'a document without a title', LONGEST.name)}${on}`)
}

function sentencesOf({ error, trouble, what_to_do: todo, findings }: MailItem['data']): string[] {
  if (findings) return findings.map(({ seen, means, todo }) => [seen, means, todo].filter(Boolean).join(' '))
  const said = [error?.message, trouble?.message, todo].filter((sentence) => typeof sentence === 'string')
  return [...new Set(said)]
}
