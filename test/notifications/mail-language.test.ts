import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mailBodySchema, renderMail } from '../../src/notifications/mail/mail.ts'
import { type NotificationEvent, notificationEvents, sampleData } from '../../src/notifications/outcomes.ts'

const PUBLIC_URL = 'https://galley.example.com'

const catalogue: Record<string, string> = JSON.parse(
  readFileSync('dashboard/languages/server/de.json', 'utf8'),
)

/** Names, titles and addresses of the samples: the same in every language. */
const outside = /How tides come about|Harbour News|Newsroom|Ben Editor|https:\S+|Galley|Ann\b/g

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.replace(outside, '').trim())
    .filter((line) => /[a-z]{3}/.test(line))

const bodyOf = (items: object[], counts: Partial<Record<NotificationEvent, number>>, more: object = {}) =>
  mailBodySchema.parse({
    ...{ event: 'digest', id: '1', created_at: '2026-01-01T12:00:00.000Z', receiver: { name: 'Ann' } },
    ...{ items, counts, ...more },
  })

const both = (body: ReturnType<typeof bodyOf>) => ({
  english: renderMail(body, PUBLIC_URL, 'en'),
  german: renderMail(body, PUBLIC_URL, 'de'),
})

const item = (event: NotificationEvent, data: object = sampleData(event)) => ({ event, data })

const single = (event: NotificationEvent, data?: object) => bodyOf([item(event, data)], { [event]: 1 })

test.each(notificationEvents)('the mail about %s has no English line for a German receiver', (event) => {
  for (const body of [single(event), { ...single(event), sample: true as const }]) {
    const { english, german } = both(body)
    const known = new Set([english.subject, ...linesOf(english.text)])
    expect(linesOf(english.text).length).toBeGreaterThan(1)
    for (const line of linesOf(`${german.subject}\n${german.text}`)) expect(known).not.toContain(line)
    expect(german.text.split('\n')).toHaveLength(english.text.split('\n').length)
    expect(german.html).toContain('<html lang="de">')
    expect(german.html).toContain(`<title>${german.subject}</title>`)
  }
})

test.each(notificationEvents)('the subject about several of %s is German in both numbers', (event) => {
  for (const count of [2, 1_075]) {
    const { english, german } = both(bodyOf([item(event)], { [event]: count }))
    expect(german.subject).not.toBe(english.subject)
    expect(german.subject).not.toMatch(/\b(deliver|sites?\b|posts?\b|outage|kinds?\b)/)
    expect(german.text).toMatch(/Und [\d,]+ weitere: https:/)
  }
})

test.each([
  ['sites', { 'outage.began': 1, 'site.outage': 500 }],
  ['deliveries', { 'delivery.failed': 3, 'post.trashed': 4 }],
  ['', { 'site.outage': 2, 'delivery.held': 2 }],
] as const)('what a mail has no room for is at /%s, where it is listed', (list, counts) => {
  const [event] = Object.keys(counts) as NotificationEvent[]
  const { english } = both(bodyOf([item(event as NotificationEvent)], counts))
  expect(english.text).toMatch(new RegExp(`And \\d+ more: ${PUBLIC_URL}/${list}\n`))
})

test('what the server says is translated, and nothing that somebody else wrote', () => {
  const message = 'This notification is older than GALLEY_RETENTION_DAYS, and what it said is no longer kept.'
  const sentence = Object.keys(catalogue).find((english) => english.startsWith(message)) as string
  const title = 'This is a sample: nothing of it has happened.'
  const data = { ...sampleData('delivery.failed'), title, error: { message: sentence } }
  const { english, german } = both(single('delivery.failed', data))
  expect(english.subject).toBe(`Failed: ${title} (Harbour News)`)
  expect(german.subject).toBe(`Fehlgeschlagen: ${title} (Harbour News)`)
  expect(english.text).toContain(sentence)
  expect(german.text).toContain(catalogue[sentence])
  expect(german.text).not.toContain(sentence)
})

test('a mail for an English receiver is as it was', () => {
  const { english } = both(single('outage.needs_person'))
  expect(english.subject).toBe('Needs attention: 3 sites for the same reason')
  expect(english.text).toBe(
    [
      'Needs attention: 3 sites for the same reason\nOne of them: This is a sample. A real one says here what happened and what to do.\nDocuments that wait for these sites: 12.\nhttps://galley.example.com/sites',
      'Galley at https://galley.example.com sent this to "Ann". You can change there who is notified.',
    ].join('\n\n'),
  )
  expect(english.html).toContain('<html lang="en">')
})

test('a delivery, a post and an outage in German, in words', () => {
  const { german } = both(single('post.published'))
  expect(german.text.split('\n').slice(0, 3)).toEqual([
    'Veröffentlicht: How tides come about (Harbour News)',
    'Von Ben Editor.',
    'Beitrag: https://example.com/how-tides-come-about/',
  ])
  const { german: outage } = both(single('outage.began'))
  expect(outage.subject).toBe('Ausgefallen: 3 Websites aus demselben Grund')
  expect(outage.text).toContain(
    'Eine davon: Das ist ein Beispiel. Eine echte sagt hier, was geschehen ist und was zu tun ist.',
  )
})
