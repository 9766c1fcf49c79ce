import { z } from 'zod'
import { utcTimestamp, uuid } from '../contract/scalars.ts'
import { pluralize } from '../lib/text.ts'
import { warningSchema } from '../warnings.ts'

const text = z.string().nullable()

const SAMPLE_SITE = {
  id: '018f3c1e-5f0a-7d3b-9a45-1c2d3e4f5a6b',
  name: 'Harbour News',
  url: 'https://example.com',
  labels: ['news'],
}
const SAMPLE_TIME = '2026-01-01T12:00:00.000Z'
const SAMPLE_POST = {
  id: 42,
  url: `${SAMPLE_SITE.url}/how-tides-come-about/`,
  edit_url: `${SAMPLE_SITE.url}/wp-admin/post.php?post=42&action=edit`,
  status: 'publish',
  modified_at: null,
  modified_by: null,
  publish_at: SAMPLE_TIME,
  seen_at: SAMPLE_TIME,
}
const SAMPLE_ERROR = {
  code: 'credentials_rejected',
  message: 'This is a sample. A real one says here what happened and what to do.',
}

const siteShape = { id: uuid, name: z.string(), url: z.string(), labels: z.array(z.string()) }

const trouble = z.object({ code: z.string(), message: z.string() })

/** What an outcome can be about: its `data` with a sample, and the page that shows it. Members may be added. */
const subjects = {
  delivery: {
    data: z
      .looseObject({
        id: uuid,
        document_id: uuid,
        reference: text,
        title: text,
        source: z.object({ id: uuid, name: text }).nullable(),
        site_id: uuid,
        status: z.string(),
        post: z
          .looseObject({
            ...{ id: z.int(), url: text, edit_url: text, status: text },
            ...{ modified_at: utcTimestamp.nullable(), modified_by: text },
            ...{ publish_at: utcTimestamp.nullable(), seen_at: utcTimestamp.nullable() },
          })
          .nullable()
          .describe('Null while there is none.'),
        withdraw_to: text.describe('Where its post goes, or has gone, by a withdrawal: `draft` or `trash`.'),
        warnings: z.array(warningSchema),
        attempts: z.int(),
        next_attempt_at: utcTimestamp.nullable(),
        error: trouble.extend({ step: z.string(), details: z.unknown().optional() }).nullable(),
        created_at: utcTimestamp,
        updated_at: utcTimestamp,
        site: z.object(siteShape).nullable().describe('Null where it is not connected.'),
      })
      .meta({ id: 'DeliveryOutcome', description: 'The delivery as it was at that moment.' }),
    sample: {
      id: '018f3c1e-6a11-7c55-8f21-0a1b2c3d4e5f',
      document_id: '018f3c1e-4b22-7e66-9d32-1b2c3d4e5f60',
      reference: null,
      title: 'How tides come about',
      source: null,
      site_id: SAMPLE_SITE.id,
      status: 'delivered',
      post: SAMPLE_POST,
      withdraw_to: null,
      warnings: [],
      attempts: 0,
      next_attempt_at: null,
      error: null,
      created_at: SAMPLE_TIME,
      updated_at: SAMPLE_TIME,
      site: SAMPLE_SITE,
    },
    page: (id: string) => `deliveries/${encodeURIComponent(id)}`,
  },
  site: {
    data: z
      .looseObject({
        ...siteShape,
        state: z.string(),
        since: utcTimestamp.nullable(),
        trouble: trouble.loose().nullable(),
        next_try: utcTimestamp.nullable(),
        what_to_do: text,
        was: trouble
          .loose()
          .nullable()
          .optional()
          .describe('Of a site that works again: the trouble that is over.'),
        level: z.string().optional().describe('Of a check that got worse: its worst line.'),
        findings: z
          .array(z.looseObject({}))
          .optional()
          .describe('Of a check that got worse: its worse lines.'),
      })
      .meta({ id: 'SiteOutcome', description: 'The site as it was at that moment.' }),
    sample: {
      ...SAMPLE_SITE,
      state: 'needs_owner',
      since: SAMPLE_TIME,
      trouble: SAMPLE_ERROR,
      next_try: null,
      what_to_do: SAMPLE_ERROR.message,
    },
    page: (id: string) => `sites/${encodeURIComponent(id)}`,
  },
  outage: {
    data: z
      .looseObject({
        id: uuid,
        code: z.string().describe('The cause.'),
        since: utcTimestamp,
        site_count: z.int(),
        waiting: z.int().describe('Documents that wait for these sites.'),
        waiting_more: z.boolean().describe('There may be more: not all were counted.'),
        example: text.describe('What one of the sites says.'),
      })
      .meta({
        id: 'OutageOutcome',
        description: 'Sites that fail for the same cause. Only receivers of all sites get it.',
      }),
    sample: {
      id: SAMPLE_SITE.id,
      code: 'site_timeout',
      since: SAMPLE_TIME,
      site_count: 3,
      waiting: 12,
      waiting_more: false,
      example: SAMPLE_ERROR.message,
    },
    page: () => 'sites',
  },
  source: {
    data: z
      .looseObject({
        id: uuid,
        name: text,
        reason: z.string(),
        count: z.int().describe('So far.'),
        since: utcTimestamp,
        message: z.string().describe('What was wrong with the last one.'),
      })
      .meta({ id: 'SourceOutcome', description: 'A source. Only receivers of all sites get it.' }),
    sample: {
      id: SAMPLE_SITE.id,
      name: 'Newsroom',
      reason: 'signature_invalid',
      count: 12,
      since: SAMPLE_TIME,
      message: SAMPLE_ERROR.message,
    },
    page: () => 'sources',
  },
}

interface OutcomeDefinition {
  about: keyof typeof subjects
  /** When it is sent. */
  summary: string
  /** The headline of one; `{what}` is the document, the site, how many sites, or the source. */
  heading: string
  /** Of several in one mail. */
  several: (count: number) => string
  /** Members of its sample that differ from its subject's. */
  sample?: object
  /** All is well: mail leaves it out unless it is asked for. */
  isRoutine?: true
}

/** A post as a person left it, of a sample. */
const samplePost = (status: string, modified_by: string | null) => ({
  post: { ...SAMPLE_POST, status, modified_at: modified_by && SAMPLE_TIME, modified_by },
})

/** Every outcome that receivers may get, the most urgent first. Its words on the page are in `dashboard/src/views/outcomes/words.tsx`. */
export const outcomes = {
  'outage.needs_person': {
    about: 'outage',
    summary: 'Sites that are down for the same cause do not heal by themselves.',
    heading: 'Needs attention: {what} for the same reason',
    several: (count) => `${pluralize(count, 'outage needs', 'outages need')} attention`,
  },
  'outage.began': {
    about: 'outage',
    summary: 'Sites fail for the same cause, the first of them for half a minute or longer.',
    heading: 'Down: {what} for the same reason',
    several: (count) => `${pluralize(count, 'outage')} began`,
  },
  'site.outage': {
    about: 'site',
    summary: 'A site is in trouble, or begins to need somebody.',
    heading: 'In trouble: {what}',
    several: (count) => `${pluralize(count, 'site')} in trouble`,
  },
  'event.unusable': {
    about: 'source',
    summary: 'Webhooks of a source cannot be used. Sent when a reason begins, and at most once a day after.',
    heading: 'Could not use what {what} sent',
    several: (count) => `${pluralize(count, 'kind')} of webhooks could not be used`,
  },
  'delivery.failed': {
    about: 'delivery',
    summary: 'Galley has given up on a delivery.',
    heading: 'Failed: {what}',
    several: (count) => `${pluralize(count, 'delivery', 'deliveries')} failed`,
    sample: { status: 'failed', attempts: 8, error: { ...SAMPLE_ERROR, step: 'fill' } },
  },
  'delivery.held': {
    about: 'delivery',
    summary: 'A delivery waits for a person.',
    heading: 'Held: {what}',
    several: (count) => `${pluralize(count, 'delivery', 'deliveries')} held`,
    sample: { status: 'held', attempts: 1, error: { ...SAMPLE_ERROR, step: 'fill' } },
  },
  'delivery.incomplete': {
    about: 'delivery',
    summary:
      'A document is on its site with a loss. Sent in place of `delivery.delivered` to who asks for it.',
    heading: 'Delivered with something missing: {what}',
    several: (count) => `${pluralize(count, 'delivery', 'deliveries')} with something missing`,
    sample: {
      warnings: [
        {
          code: 'picture_left_out',
          message: 'This is a sample. A real one says here what is missing.',
          severity: 'loss',
        },
      ],
    },
  },
  'post.schedule_missed': {
    about: 'delivery',
    summary: 'A scheduled post is not public five minutes after its time.',
    heading: 'Not published in time: {what}',
    several: (count) => `${pluralize(count, 'post')} not published in time`,
    sample: {
      ...samplePost('future', null),
      warnings: [
        {
          code: 'schedule_missed',
          message: 'This is a sample. A real one says here when the post was due.',
          severity: 'change',
        },
      ],
    },
  },
  'post.trashed': {
    about: 'delivery',
    summary: 'A post is in the trash, or was deleted.',
    heading: 'In the trash or deleted: {what}',
    several: (count) => `${pluralize(count, 'post')} in the trash or deleted`,
    sample: samplePost('trash', null),
  },
  'site.regression': {
    about: 'site',
    summary: 'A check of a site found something worse than the last one.',
    heading: 'Worse than at the last check: {what}',
    several: (count) => `${pluralize(count, 'site')} worse than at the last check`,
    sample: {
      trouble: null,
      level: 'problem',
      findings: [
        {
          check: 'sample',
          level: 'problem',
          seen: 'This is a sample.',
          means: 'A real one says here what it means.',
          todo: 'And here, what to do.',
        },
      ],
      what_to_do: 'A real one says here what to do.',
    },
  },
  'site.recovered': {
    about: 'site',
    summary: 'A site works again, and its deliveries continue.',
    heading: 'Works again: {what}',
    several: (count) => `${pluralize(count, 'site')} working again`,
    sample: { state: 'working', since: null, trouble: null, was: SAMPLE_ERROR, what_to_do: null },
  },
  'outage.ended': {
    about: 'outage',
    summary: 'The sites of an outage work again; `site_count` is the most at once.',
    heading: 'Works again: {what} that failed for the same reason',
    several: (count) => `${pluralize(count, 'outage')} ended`,
    sample: { waiting: 0, example: null },
  },
  'delivery.withdrawn': {
    about: 'delivery',
    summary: 'Somebody had a post taken off its site.',
    heading: 'Withdrawn: {what}',
    several: (count) => `${pluralize(count, 'delivery', 'deliveries')} withdrawn`,
    sample: { status: 'withdrawn', withdraw_to: 'draft', post: { ...SAMPLE_POST, status: 'draft' } },
    isRoutine: true,
  },
  'post.published': {
    about: 'delivery',
    summary:
      'A post that Galley left unpublished is public: somebody published it, or its scheduled time has come. `post.modified_by` says who, where WordPress tells.',
    heading: 'Published: {what}',
    several: (count) => `${pluralize(count, 'post')} published`,
    isRoutine: true,
    sample: samplePost('publish', 'Ben Editor'),
  },
  'delivery.delivered': {
    about: 'delivery',
    summary: 'A document is on its site.',
    heading: 'Delivered: {what}',
    several: (count) => `${pluralize(count, 'delivery', 'deliveries')} delivered`,
    isRoutine: true,
  },
} satisfies Record<string, OutcomeDefinition>

export type NotificationEvent = keyof typeof outcomes

export const notificationEvents = Object.keys(outcomes) as NotificationEvent[]

const definitionOf = (event: NotificationEvent): OutcomeDefinition => outcomes[event]

/** What mail tells unless it is asked for more. */
export const mailedEvents = notificationEvents.filter((event) => !definitionOf(event).isRoutine)

export const isAboutDelivery = (event: NotificationEvent): boolean => outcomes[event].about === 'delivery'

/** The page of what an outcome is about, below the public address. */
export const pageOf = (event: NotificationEvent, id: string): string =>
  subjects[outcomes[event].about].page(id)

/** The `data` of a sample. */
export const sampleData = (event: NotificationEvent): { id: string } => {
  const { about, sample } = definitionOf(event)
  return { ...subjects[about].sample, ...sample }
}

/** What a receiver is sent, as OpenAPI describes it. */
export const outcomePayload = (event: NotificationEvent) =>
  z.looseObject({
    event: z.literal(event),
    id: uuid.describe('The `webhook-id` of every attempt.'),
    created_at: utcTimestamp,
    sample: z.literal(true).optional().describe('It was asked for as a sample: nothing of it has happened.'),
    data: subjects[outcomes[event].about].data,
  })

const sqlArray = (events: readonly NotificationEvent[]): string =>
  `ARRAY[${events.map((event) => `'${event}'`).join(', ')}]`

/** SQL of the events that are about a delivery. */
export const DELIVERY_EVENTS_SQL = sqlArray(notificationEvents.filter(isAboutDelivery))

/** SQL of all events, the most urgent first. */
export const EVENTS_BY_URGENCY_SQL = sqlArray(notificationEvents)
