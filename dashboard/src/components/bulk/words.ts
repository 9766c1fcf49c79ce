import { __, _n } from '@wordpress/i18n'
import type { BulkJob } from '../../api/client.ts'
import type { BulkAction } from '../../data/bulk.ts'
import { withNumber } from '../format.ts'
import type { State } from '../status.tsx'

/** The objects of a bulk job. */
export type Kind = 'deliveries' | 'sites'

interface Words {
  kind: Kind
  label: () => string
  /** The consequence. */
  does: () => string
}

/** All bulk actions, in the order in which they are offered. */
export const bulkActions = {
  retry: {
    kind: 'deliveries',
    label: () => __('Try again', 'galley'),
    does: () => __('Each is sent to its site once more, now. Posts that people edited are left.', 'galley'),
  },
  release: {
    kind: 'deliveries',
    label: () => __('Release', 'galley'),
    does: () => __('Those that wait for you go on; all others are skipped.', 'galley'),
  },
  withdraw: {
    kind: 'deliveries',
    label: () => __('Withdraw', 'galley'),
    does: () => __('Readers no longer see the posts, which stay in WordPress.', 'galley'),
  },
  cancel: {
    kind: 'deliveries',
    label: () => __('Cancel', 'galley'),
    does: () => __('They are no longer wanted. What is on the sites stays as it is.', 'galley'),
  },
  move: {
    kind: 'deliveries',
    label: () => __('Send to another site', 'galley'),
    does: () => __('Instead of their own. Only deliveries that have no post yet can be moved.', 'galley'),
  },
  overwrite: {
    kind: 'deliveries',
    label: () => __('Overwrite', 'galley'),
    does: () => __('The document replaces what people changed in the posts.', 'galley'),
  },
  label: {
    kind: 'sites',
    label: () => __('Change labels', 'galley'),
    does: () => __('By labels, sites are found, filtered and sent to together.', 'galley'),
  },
  pause: {
    kind: 'sites',
    label: () => __('Pause', 'galley'),
    does: () => __('Nothing is sent to them any more. Documents that arrive wait.', 'galley'),
  },
  resume: {
    kind: 'sites',
    label: () => __('Resume', 'galley'),
    does: () => __('What was waiting is sent.', 'galley'),
  },
  check: {
    kind: 'sites',
    label: () => __('Check', 'galley'),
    does: () =>
      __(
        'Each is checked in the same way as when it was connected. That takes a few seconds per site.',
        'galley',
      ),
  },
  mail_owner: {
    kind: 'sites',
    label: () => __('Mail a link to the owner', 'galley'),
    does: () =>
      __(
        'Each owner gets a link to connect the site again, and reads what stopped, since when and how many documents wait. It needs the owner’s e-mail address in the settings of the site, and a Galley that sends mail.',
        'galley',
      ),
  },
  settings: {
    kind: 'sites',
    label: () => __('Change settings', 'galley'),
    does: () => __('Galley asks each site whether it has what you have chosen.', 'galley'),
  },
  undo: {
    kind: 'sites',
    label: () => __('Undo', 'galley'),
    does: () => __('Each site gets back the labels or settings that it had before.', 'galley'),
  },
} satisfies Record<BulkAction, Words>

/** The actions for deliveries, or for sites; an action is undone from its own page. */
export const actionsOn = (kind: Kind): BulkAction[] =>
  (Object.keys(bulkActions) as BulkAction[]).filter(
    (action) => bulkActions[action].kind === kind && action !== 'undo',
  )

/** `214 deliveries` */
export const countOf = (kind: Kind, count: number): string =>
  kind === 'deliveries'
    ? // translators: %d: how many deliveries
      withNumber(_n('%d delivery', '%d deliveries', count, 'galley'), count)
    : // translators: %d: how many sites
      withNumber(_n('%d site', '%d sites', count, 'galley'), count)

/** `Try again: 112 deliveries`; an action of a newer Galley is returned as it is. */
export function bulkInWords(action: string, items: number | null): string {
  const words = (bulkActions as Record<string, Words>)[action]
  if (words === undefined) return action
  return items === null ? words.label() : `${words.label()}: ${countOf(words.kind, items)}`
}

export const bulkStatuses = {
  collecting: { label: () => __('Finds what matches', 'galley'), tone: 'info' },
  working: { label: () => __('Under way', 'galley'), tone: 'info' },
  done: { label: () => __('Done', 'galley'), tone: 'good' },
  cancelled: { label: () => __('Stopped', 'galley'), tone: 'neutral' },
  failed: { label: () => __('Galley failed', 'galley'), tone: 'bad' },
} satisfies Record<BulkJob['status'], State>
