import { __ } from '@wordpress/i18n'
import type { Notification, Receiver } from '../../api/client.ts'
import { type State, StateBadge } from '../../components/status.tsx'

export type Outcome = Receiver['events'][number]

/** The events of a receiver. */
export const outcomes = {
  'delivery.delivered': () => __('A document is on its site', 'galley'),
  'delivery.withdrawn': () => __('A post was withdrawn', 'galley'),
  'delivery.held': () => __('A delivery waits for a person', 'galley'),
  'delivery.failed': () => __('A delivery failed', 'galley'),
  'delivery.incomplete': () => __('A post lacks a part of its document', 'galley'),
  'post.published': () => __('A draft or a scheduled post was published', 'galley'),
  'post.trashed': () => __('A post was moved to the trash or deleted', 'galley'),
  'post.schedule_missed': () => __('A scheduled post was not published in time', 'galley'),
  'site.outage': () => __('A site is in trouble', 'galley'),
  'site.recovered': () => __('A site works again', 'galley'),
  'outage.began': () => __('Sites are down for the same reason', 'galley'),
  'outage.needs_person': () => __('Sites that are down for the same reason need attention', 'galley'),
  'outage.ended': () => __('Sites that were down for the same reason work again', 'galley'),
  'event.unusable': () => __('Webhooks of a source could not be used', 'galley'),
  'site.regression': () => __('A check found something worse', 'galley'),
} satisfies Record<Outcome, () => string>

/** Other events: jobs, their steps where the account asks for these, and digests. */
const others: Readonly<Record<string, () => string>> = {
  'document.completed': () => __('A document is finished', 'galley'),
  'document.failed': () => __('A document failed', 'galley'),
  'research.completed': () => __('The research for a document is finished', 'galley'),
  'research.failed': () => __('The research for a document failed', 'galley'),
  'text.completed': () => __('The text of a document is finished', 'galley'),
  'text.failed': () => __('The text of a document failed', 'galley'),
  'image.completed': () => __('An image is finished', 'galley'),
  'image.failed': () => __('An image failed', 'galley'),
  'audio.completed': () => __('Audio is finished', 'galley'),
  'audio.failed': () => __('Audio failed', 'galley'),
  digest: () => __('Several outcomes in one mail', 'galley'),
}

/** An event in words; an unknown one is returned as it is. */
export const eventInWords = (event: string): string =>
  ({ ...others, ...(outcomes as Record<string, () => string>) })[event]?.() ?? event

const statuses = {
  waiting: { label: () => __('Not yet acknowledged', 'galley'), tone: 'info' },
  acknowledged: { label: () => __('Acknowledged', 'galley'), tone: 'good' },
  failed: { label: () => __('Failed', 'galley'), tone: 'bad' },
} satisfies Record<Notification['status'], State>

export const statusesInWords = (): Record<string, string> =>
  Object.fromEntries(Object.entries(statuses).map(([status, { label }]) => [status, label()]))

export const NotificationStatus = ({ status }: { status: Notification['status'] }) => (
  <StateBadge of={statuses[status]} />
)
