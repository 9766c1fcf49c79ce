import { __ } from '@wordpress/i18n'
import type { MatrixRow, Preview } from '../../api/client.ts'
import { postStatusInWords } from '../../components/post-words.ts'
import { type State, StateBadge } from '../../components/status.tsx'

export type Status = Preview['post']['status']['asked']
type Result = Preview['post']['status']['result']
type Term = Preview['terms'][number]

/** "" is what the document asks for. */
export const statusesToAskFor = (): Record<string, string> => ({
  '': __('As the document asks', 'galley'),
  draft: postStatusInWords('draft'),
  pending: postStatusInWords('pending'),
  publish: postStatusInWords('publish'),
})

/** The text of the button that delivers; null when the delivery would be held. */
export const deliverAs = (status: Result): string =>
  status === null ? __('Deliver anyway', 'galley') : asWhat[status]()

const asWhat = {
  draft: () => __('Deliver as a draft', 'galley'),
  pending: () => __('Deliver for review', 'galley'),
  publish: () => __('Deliver and publish', 'galley'),
  future: () => __('Deliver and schedule', 'galley'),
  private: () => __('Deliver as a private post', 'galley'),
} satisfies Record<NonNullable<Result>, () => string>

const outcomes = {
  delivered: { label: () => __('Would be delivered', 'galley'), tone: 'good' },
  held: { label: () => __('Would wait for you', 'galley'), tone: 'warning' },
  unanswered: { label: () => __('No answer from the site', 'galley'), tone: 'bad' },
  not_asked: { label: () => __('Not asked yet', 'galley'), tone: 'neutral' },
} satisfies Record<MatrixRow['outcome'], State>

export const OutcomeOf = ({ outcome }: { outcome: MatrixRow['outcome'] }) => (
  <StateBadge of={outcomes[outcome]} />
)

const terms = {
  exists: { label: () => __('Already exists', 'galley'), tone: 'good' },
  create: { label: () => __('Would be created', 'galley'), tone: 'info' },
  left_out: { label: () => __('Would be left out', 'galley'), tone: 'warning' },
} satisfies Record<Term['outcome'], State>

export const TermOutcome = ({ outcome }: { outcome: Term['outcome'] }) => <StateBadge of={terms[outcome]} />

const fields = {
  set: { label: () => __('Would be set', 'galley'), tone: 'good' },
  left_out: terms.left_out,
} satisfies Record<Preview['fields'][number]['outcome'], State>

export const FieldOutcome = ({ outcome }: { outcome: keyof typeof fields }) => (
  <StateBadge of={fields[outcome]} />
)

export const taxonomyInWords = (taxonomy: Term['taxonomy']): string =>
  taxonomy === 'categories' ? __('Category', 'galley') : __('Tag', 'galley')
