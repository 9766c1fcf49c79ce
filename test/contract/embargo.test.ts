import { expect, test } from 'vitest'
import { findUnreadEmbargo } from '../../src/contract/embargo.ts'

const now = new Date('2026-11-27T12:00:00Z')
const later = '2140-01-31T09:00:00Z'

test.each([
  [{ data: { published: true } }, undefined],
  [{ data: { publish: 'yes' } }, undefined],
  [{ data: { published: '2026-11-01' } }, undefined],
  [{ data: { published: '2140-01-31' } }, 'data.published'],
  [{ data: { scheduled: true } }, 'data.scheduled'],
  [{ data: { scheduled: false } }, undefined],
  [{ data: { release_date: '31.01.2140' } }, 'data.release_date'],
  [{ data: { release_date: '31.01.2020' } }, undefined],
  [{ data: { embargo: 'next Monday' } }, 'data.embargo'],
  [{ data: { content: { date: '2140-01-31' } } }, undefined],
  [{ data: { content: { type: 'doc', attrs: { publishAt: later } } } }, 'data.content.attrs.publishAt'],
  [{ data: { publish: { at: later } } }, 'data.publish.at'],
  [{ delivery: { schedule: { at: later } } }, 'delivery.schedule'],
  [{ delivery: { options: { go_live: later } } }, 'delivery.options.go_live'],
  [{ delivery: { metadata: { publish_at: later } } }, undefined],
  [{ delivery: { metadata: { publsh_at: later } } }, 'delivery.metadata.publsh_at'],
  [{ delivery: { metadata: { date: '2140-01-31' } } }, 'delivery.metadata.date'],
  [{ delivery: { metadata: { wann: later } } }, 'delivery.metadata.wann'],
  [{ delivery: { metadata: { fields: { publish_at: later, release_date: later } } } }, undefined],
  [{ delivery: { metadata: { slug: '2140-01-31', excerpt: '2140-01-31' } } }, undefined],
  [{ delivery: { metadata: { series: 'Chapter 2140' } } }, undefined],
])('what holds a document back: %j', (webhook, path) => {
  expect(findUnreadEmbargo(webhook, now)).toBe(path)
})

const names = [
  ...[
    'publishAt',
    'scheduled_for',
    'go_live',
    'goLiveAt',
    'release_date',
    'releaseAt',
    'embargoUntil',
    'not_before',
  ],
  ...[
    'visible_from',
    'available_from',
    'liveFrom',
    'live-date',
    'launch_date',
    'hold_until',
    'draft_until',
    'post_at',
  ],
  ...[
    'publish_not_before',
    'scheduledPublishDate',
    'autoPublishDate',
    'valid_from',
    'queue_for',
    'startDate',
  ],
  ...['veroeffentlichen_am', 'veröffentlicht_ab', 'freigabe_am', 'erscheint_am', 'SperrfristBis', 'onlineAb'],
  ...['gueltig_ab', 'geplant_fuer', 'date_publication', 'publier_le', 'date_de_parution', 'mise_en_ligne'],
  ...['publicar_en', 'fecha_de_publicacion', 'data_pubblicazione', 'publicatiedatum', 'programado_para'],
]
const places = (members: object): [string, object][] => [
  ['', members],
  ['delivery.', { delivery: members }],
  ['delivery.metadata.', { delivery: { metadata: members } }],
  ['data.', { data: members }],
  ['data.content.', { data: { content: members } }],
  ['data.content.meta.', { data: { content: { meta: members } } }],
]

test.each(names)('a time to come holds it back wherever it stands: %s', (name) => {
  for (const [path, webhook] of places({ [name]: later }))
    expect(findUnreadEmbargo(webhook, now)).toBe(`${path}${name}`)
  for (const [, webhook] of places({ [name]: '2020-01-31T09:00:00Z' }))
    expect(findUnreadEmbargo(webhook, now)).toBeUndefined()
})

test.each([
  ...[
    'expires_at',
    'unpublish_at',
    'valid_until',
    'visible_to',
    'end_date',
    'deadline',
    'event_date',
    'updated_at',
  ],
  ...['ends_at', 'gueltig_bis', 'remove_on', 'eventStart', 'review_date'],
])('a time of something else holds nothing back: %s', (name) => {
  for (const [, webhook] of places({ [name]: later })) expect(findUnreadEmbargo(webhook, now)).toBeUndefined()
})

test('among very many members none is looked for, and what stands less deep is found all the same', () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`row ${index}`, later]))
  const data = { content: { meta: { ...many, publishAt: later } } }
  expect(findUnreadEmbargo({ data }, now)).toBeUndefined()
  expect(findUnreadEmbargo({ data, delivery: { publishAt: later } }, now)).toBe('delivery.publishAt')
})
