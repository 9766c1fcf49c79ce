import { z } from 'zod'
import type { Language } from '../lib/sentences.ts'
import { excerpt, pluralize } from '../lib/text.ts'
import { isAboutDelivery, notificationEvents, outcomes, pageOf } from './outcomes.ts'

const link = z.string().nullish()

/** What is told of a delivery, site, outage or source; the members depend on the event. */
const data = z.object({
  id: z.string(),
  title: z.string().nullish(),
  name: z.string().nullish(),
  error: z.object({ message: z.string() }).nullish(),
  losses: z.array(z.string()).nullish(),
  warnings: z
    .array(z.object({ code: z.string().optional(), severity: z.string().optional(), message: z.string() }))
    .nullish(),
  trouble: z.object({ message: z.string() }).nullish(),
  what_to_do: z.string().nullish(),
  message: z.string().nullish(),
  site: z.object({ name: z.string() }).nullish(),
  site_count: z.int().nullish(),
  waiting: z.int().nullish(),
  waiting_more: z.boolean().nullish(),
  example: z.string().nullish(),
  post: z.object({ url: link, edit_url: link, modified_by: z.string().nullish() }).nullish(),
  findings: z.array(z.object({ seen: z.string(), means: z.string(), todo: z.string().nullable() })).nullish(),
})

/** An outcome that is put into words. */
export const toldSchema = z.object({ event: z.enum(notificationEvents), data })

type Told = z.output<typeof toldSchema>

export interface OutcomeWords {
  heading: string
  lines: string[]
  /** Opens exactly this delivery or site; of an outage the list of its sites. */
  link: string
  post: string | undefined
}

/** Most characters of a title or name, and of a sentence. */
const MAX_LENGTHS = { name: 150, sentence: 1_000 }

/** Losses that are named; a document may have hundreds. */
const MAX_LOSSES = 3

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

/** An outcome in plain words, for mail and chats. @param publicUrl base of links, without a trailing slash */
export function wordsOf(told: Told, publicUrl: string, language: Language): OutcomeWords {
  const { event, data } = told
  const shown = data.post?.url ?? undefined
  return {
    heading: headingOf(told, language),
    lines: sentencesOf(told, language).map((sentence) => singleLine(sentence)),
    link: `${publicUrl}/${pageOf(event, data.id)}`,
    post: shown !== undefined && /^https?:\/\//.test(shown) ? shown : undefined,
  }
}

export function headingOf({ event, data }: Told, language: Language): string {
  const { title, name, site, site_count } = data
  const heading = (what: string) => language.format(outcomes[event].heading, { what })
  if (site_count != null) return heading(language.translate(pluralize(site_count, 'site')))
  if (!isAboutDelivery(event)) return heading(singleLine(name ?? language.format('a site'), MAX_LENGTHS.name))
  const on = site ? ` (${singleLine(site.name, MAX_LENGTHS.name)})` : ''
  const document = title ?? language.format('a document without a title')
  return heading(`${singleLine(document, MAX_LENGTHS.name)}${on}`)
}

function sentencesOf({ event, data }: Told, language: Language): string[] {
  const { translate } = language
  const { error, trouble, what_to_do: todo, findings, example, waiting, waiting_more: more, warnings } = data
  if (example != null)
    return [
      language.format('One of them: {sentence}', { sentence: translate(example) }),
      language.format('Documents that wait for these sites: {number}.', {
        number: `${waiting ?? 0}${more ? '+' : ''}`,
      }),
    ]
  if (findings)
    return findings.map(({ seen, means, todo }) =>
      [seen, means, todo ?? ''].filter(Boolean).map(translate).join(' '),
    )
  const lost = (warnings ?? []).filter(
    ({ code, severity }) =>
      (event === 'delivery.incomplete' && severity === 'loss') ||
      (event === 'post.schedule_missed' && code === 'schedule_missed'),
  )
  const losses = data.losses ?? lost.map(({ message }) => message)
  const who = event.startsWith('post.') ? data.post?.modified_by : null
  const said = [error?.message, trouble?.message, data.message, todo, ...losses.slice(0, MAX_LOSSES)]
    .filter((sentence) => typeof sentence === 'string')
    .map(translate)
  return [...new Set([...(who ? [language.format('By {who}.', { who })] : []), ...said])]
}
