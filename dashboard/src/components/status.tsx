import { __ } from '@wordpress/i18n'
import type { Delivery, ListedSite } from '../api/client.ts'

export type Tone = 'good' | 'warning' | 'bad' | 'info' | 'neutral'

/** A state in a word and a colour. The word is enough; the colour helps to find it. */
export const Badge = ({ tone, children }: { tone: Tone; children: string }) => (
  <span className={`g-badge ${tone}`}>{children}</span>
)

interface State {
  label: () => string
  tone: Tone
}

/** The states of a delivery, the most urgent first. */
export const deliveryStates = {
  held: { label: () => __('Waits for you', 'galley'), tone: 'warning' },
  failed: { label: () => __('Failed', 'galley'), tone: 'bad' },
  queued: { label: () => __('Queued', 'galley'), tone: 'neutral' },
  delivering: { label: () => __('Under way', 'galley'), tone: 'info' },
  delivered: { label: () => __('Delivered', 'galley'), tone: 'good' },
  cancelled: { label: () => __('Cancelled', 'galley'), tone: 'neutral' },
} satisfies Record<Delivery['status'], State>

export const siteStates = {
  needs_owner: { label: () => __('Needs its owner', 'galley'), tone: 'bad' },
  problem: { label: () => __('Has a problem', 'galley'), tone: 'warning' },
  paused: { label: () => __('Resting', 'galley'), tone: 'warning' },
  stopped: { label: () => __('Paused by you', 'galley'), tone: 'neutral' },
  connected: { label: () => __('Works', 'galley'), tone: 'good' },
} satisfies Record<ListedSite['status'], State>

export const DeliveryStatus = ({ status }: { status: Delivery['status'] }) => (
  <Badge tone={deliveryStates[status].tone}>{deliveryStates[status].label()}</Badge>
)

export const SiteStatus = ({ status }: { status: ListedSite['status'] }) => (
  <Badge tone={siteStates[status].tone}>{siteStates[status].label()}</Badge>
)
