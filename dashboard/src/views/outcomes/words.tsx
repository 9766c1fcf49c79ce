import { __ } from '@wordpress/i18n'
import type { Notification, Receiver } from '../../api/client.ts'
import { Badge, type Tone } from '../../components/status.tsx'

export type Outcome = Receiver['events'][number]

/** Of what a receiver may be told. */
export const outcomes = {
  'delivery.delivered': () => __('A document stands on its site', 'galley'),
  'delivery.held': () => __('A delivery waits for a person', 'galley'),
  'delivery.failed': () => __('A delivery failed', 'galley'),
  'site.outage': () => __('A site is in trouble', 'galley'),
  'site.recovered': () => __('A site works again', 'galley'),
  'site.regression': () => __('A check found something worse', 'galley'),
} satisfies Record<Outcome, () => string>

/** What was told, in words; some is told of jobs or as a digest, by its own name. */
export const eventInWords = (event: string): string =>
  event === 'digest'
    ? __('Several outcomes in one mail', 'galley')
    : ((outcomes as Record<string, () => string>)[event]?.() ?? event)

const statuses = {
  waiting: { label: () => __('Not yet acknowledged', 'galley'), tone: 'info' },
  acknowledged: { label: () => __('Acknowledged', 'galley'), tone: 'good' },
  failed: { label: () => __('Failed', 'galley'), tone: 'bad' },
} satisfies Record<Notification['status'], { label: () => string; tone: Tone }>

export const statusesInWords = (): Record<string, string> =>
  Object.fromEntries(Object.entries(statuses).map(([status, { label }]) => [status, label()]))

export const NotificationStatus = ({ status }: { status: Notification['status'] }) => (
  <Badge tone={statuses[status].tone}>{statuses[status].label()}</Badge>
)
