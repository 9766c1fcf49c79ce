import { randomUUID } from 'node:crypto'

interface Asked {
  /** A site that works. */
  works: string
  /** A site with a share of what is filled in. */
  siteId: string
  sourceId: string
}

/** Every list that grows, with each of its filters and orders: paths below `/v1/`. */
export const listsOf = ({ works, siteId, sourceId }: Asked): string[] => [
  'deliveries',
  ...['queued&status=waiting', 'delivering', 'delivered', 'held', 'failed'].map(
    (status) => `deliveries?status=${status}`,
  ),
  `deliveries?site_id=${works}`,
  `deliveries?site_id=${siteId}`,
  `deliveries?site_id=${siteId}&status=held`,
  `deliveries?document_id=${randomUUID()}`,
  `deliveries?delivery_id=${randomUUID()}&delivery_id=${randomUUID()}&total=true`,
  'deliveries?sort=oldest&attention=true&total=true',
  'deliveries?sort=updated&total=true&updated_from=2020-01-01T00:00:00Z',
  `deliveries?sort=updated&site_id=${siteId}`,
  'deliveries?label=label%201&total=true',
  'deliveries?label=label%201&status=held&search=title&total=true',
  'deliveries?search=nowhere&total=true',
  'deliveries?code=post_changed&total=true',
  'deliveries?code=post_changed&code=content_refused&total=true',
  ...['note', 'change', 'loss'].map((severity) => `deliveries?severity=${severity}&total=true`),
  'deliveries?warning=picture_left_out&total=true',
  'deliveries?warning=slug_taken&severity=loss&total=true',
  `deliveries?severity=loss&status=delivered&site_id=${siteId}&created_from=2020-01-01T00:00:00Z`,
  `deliveries?source_id=${sourceId}&total=true`,
  `deliveries?source_id=${randomUUID()}`,
  'deliveries?created_from=2020-01-01T00:00:00Z&created_to=2030-01-01T00:00:00Z',
  `deliveries?document_id=${randomUUID()}&site_id=${works}&status=held`,
  'events',
  ...['planned', 'kept', 'unusable'].map((status) => `events?status=${status}`),
  'sites',
  'sites?label=label%201',
  'sites?trouble=unreachable&total=true',
  'sites/labels',
  ...['name', '-state', 'created'].map((sort) => `sites?sort=${sort}`),
  ...['working', 'down', 'needs_owner'].map((state) => `sites?state=${state}`),
  'sources',
  'keys',
  'connect-links',
  'connect-links?status=open&status=expired',
  'audit',
  'audit?sessions=false',
  `audit?key_id=${randomUUID()}`,
  'audit?action=site.7',
  'audit?subject_kind=kind%207',
  `audit?subject_id=${siteId}`,
  'audit?since=2020-01-01T00:00:00Z&until=2020-02-01T00:00:00Z',
]

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

/** What is counted over all of them, by the same filters; of a day by hours and spans, all that came in it. */
export const countsOf = ({ siteId }: Pick<Asked, 'siteId'>): string[] => [
  ...[
    '',
    '?label=label%201',
    '?label=group%201',
    '?search=title',
    `?site_id=${siteId}`,
    '?code=post_changed',
    '?severity=loss',
  ].flatMap((filter) => [`deliveries/counts${filter}`, `causes${filter}`]),
  ...['', '&label=label%201', '&label=group%201', `&site_id=${siteId}`, '&status=held'].flatMap((filter) =>
    ['', `&begins=${hoursAgo(24)}&begins=${hoursAgo(12)}`].map(
      (begins) => `deliveries/hours?created_from=${hoursAgo(24)}${filter}${begins}`,
    ),
  ),
]
