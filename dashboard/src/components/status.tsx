import { __, sprintf } from '@wordpress/i18n'
import type { Delivery, ListedSite } from '../api/client.ts'
import { clock, useUntil } from './time.tsx'

export type Tone = 'good' | 'warning' | 'bad' | 'info' | 'neutral'

/** A state in a word and a colour. The word is enough; the colour helps to find it. */
export const Badge = ({ tone, children }: { tone: Tone; children: string }) => (
  <span className={`g-badge ${tone}`}>{children}</span>
)

export interface State {
  label: () => string
  tone: Tone
}

export const StateBadge = ({ of: { tone, label } }: { of: State }) => <Badge tone={tone}>{label()}</Badge>

/** The states of a delivery, the most urgent first. */
export const deliveryStates = {
  held: { label: () => __('Waiting for you', 'galley'), tone: 'warning' },
  failed: { label: () => __('Failed', 'galley'), tone: 'bad' },
  waiting: { label: () => __('Waiting', 'galley'), tone: 'warning' },
  queued: { label: () => __('Queued', 'galley'), tone: 'neutral' },
  delivering: { label: () => __('Under way', 'galley'), tone: 'info' },
  delivered: { label: () => __('Delivered', 'galley'), tone: 'good' },
  cancelled: { label: () => __('Cancelled', 'galley'), tone: 'neutral' },
  kept: { label: () => __('Kept the edited post', 'galley'), tone: 'neutral' },
  withdrawn: { label: () => __('Withdrawn', 'galley'), tone: 'neutral' },
} satisfies Record<Delivery['status'], State>

/** The states of a site, the most urgent first. */
export const siteStates = {
  needs_you: { label: () => __('Needs you', 'galley'), tone: 'bad' },
  needs_owner: { label: () => __('Needs its owner', 'galley'), tone: 'bad' },
  down: { label: () => __('Down, retrying', 'galley'), tone: 'warning' },
  unchecked: { label: () => __('Not checked', 'galley'), tone: 'neutral' },
  paused: { label: () => __('Paused', 'galley'), tone: 'neutral' },
  working: { label: () => __('Working', 'galley'), tone: 'good' },
} satisfies Record<ListedSite['state'], State>

export const DeliveryStatus = ({ status }: Pick<Delivery, 'status'>) => (
  <StateBadge of={deliveryStates[status]} />
)

/** Whether its site keeps a delivery waiting. */
export const waitsForSite = ({ waits_for, since }: Delivery['stands']): boolean =>
  waits_for === 'resume' || (since !== null && (waits_for === 'site' || waits_for === 'owner'))

/** What a delivery waits for at its site, as a sentence; nothing where its site does not keep it waiting. */
export function WaitsForSite({ delivery: { stands, next_attempt_at } }: { delivery: Delivery }) {
  const until = useUntil(next_attempt_at)
  const { waits_for, since } = stands
  if (waits_for === 'resume') return <>{__('Waiting: the site is paused', 'galley')}</>
  if (since === null) return null
  if (waits_for === 'owner')
    // translators: %s: a time of day, or a date with it
    return <>{sprintf(__('Waiting for the site’s owner since %s', 'galley'), clock(since))}</>
  return (
    <>
      {sprintf(
        // translators: 1: a time of day, or a date with it; 2: a duration such as 20 s
        __('Waiting: the site has been down since %1$s, next try in %2$s', 'galley'),
        clock(since),
        until,
      )}
    </>
  )
}

/** What becomes of a site that is down. */
export const goesOnByItself = () =>
  __('Galley tries again by itself. What waits goes on as soon as its site answers.', 'galley')

export const SiteState = ({ state }: Pick<ListedSite, 'state'>) => <StateBadge of={siteStates[state]} />
