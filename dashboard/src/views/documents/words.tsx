import { __, _n, sprintf } from '@wordpress/i18n'
import type { Job, JobInDetail } from '../../api/client.ts'
import { formatNumber } from '../../components/format.ts'
import { type State, StateBadge } from '../../components/status.tsx'
import type { JobKind } from '../../data/jobs.ts'

export type Step = JobInDetail['steps'][number]['step']

/** The kinds of jobs. */
export const kinds = {
  document: () => __('Document', 'galley'),
  audio: () => __('Audio', 'galley'),
  image: () => __('Image', 'galley'),
} satisfies Record<JobKind, () => string>

/** The forms, by kind. */
export const newJobs = {
  document: { to: '/documents/new', label: () => __('Create a document', 'galley') },
  audio: { to: '/documents/new-audio', label: () => __('Create audio', 'galley') },
  image: { to: '/documents/new-image', label: () => __('Create an image', 'galley') },
} satisfies Record<JobKind, { to: string; label: () => string }>

const states = {
  pending: { label: () => __('Waits for its turn', 'galley'), tone: 'neutral' },
  researching: { label: () => __('Is researched', 'galley'), tone: 'info' },
  generating: { label: () => __('Being created', 'galley'), tone: 'info' },
  images: { label: () => __('Gets its pictures', 'galley'), tone: 'info' },
  audio: { label: () => __('Being read aloud', 'galley'), tone: 'info' },
  completed: { label: () => __('Finished', 'galley'), tone: 'good' },
  failed: { label: () => __('Failed', 'galley'), tone: 'bad' },
  cancelled: { label: () => __('Cancelled', 'galley'), tone: 'neutral' },
} satisfies Record<Job['status'], State>

export const JobStatus = ({ status }: { status: Job['status'] }) => <StateBadge of={states[status]} />

/** A step in words. */
export const stepInWords = (kind: JobKind, step: Step): string =>
  kind === 'document' ? steps[step]() : kinds[kind]()

const steps = {
  researching: () => __('Research', 'galley'),
  generating: () => __('Text', 'galley'),
  images: () => __('Pictures', 'galley'),
  audio: () => __('Narration', 'galley'),
} satisfies Record<Step, () => string>

const parts: Readonly<Record<string, () => string>> = {
  queries: () => __('Questions', 'galley'),
  search: () => __('Search', 'galley'),
  page: () => __('Page', 'galley'),
  outline: () => __('Outline', 'galley'),
  section: () => __('Section', 'galley'),
  chunk: () => __('Passage', 'galley'),
}

/** `Section 3` for `section-3`; an unknown part is returned as it is. */
export function partInWords(name: string): string {
  const [, kind = '', number] = /^([a-z]+)(?:-(\d+))?$/.exec(name) ?? []
  const word = parts[kind]?.()
  if (word === undefined) return name
  return number === undefined ? word : `${word} ${number}`
}

/** `12 credits` */
export const credits = (amount: number): string =>
  sprintf(
    // translators: %s: a number of credits, with separators
    _n('%s credit', '%s credits', amount, 'galley'),
    formatNumber(amount),
  )

/** `12 credits, 4 given back` */
export const priceInWords = ({ price, refunded }: Job): string =>
  refunded === 0
    ? credits(price)
    : sprintf(
        // translators: 1: `12 credits`; 2: a number of credits
        __('%1$s, %2$s given back', 'galley'),
        credits(price),
        formatNumber(refunded),
      )

/** Why a job does not go on. */
export const waitReasons = {
  provider_busy: () => __('Waiting for a free slot at the provider', 'galley'),
  provider_trouble: () => __('It waits for a provider in trouble', 'galley'),
  operator: () => __('Whoever runs this Galley must act', 'galley'),
  error: () => __('It is tried again after an error', 'galley'),
} satisfies Record<NonNullable<Job['waiting']>['reason'], () => string>

/** What to do about a failed job. */
export const remedies = {
  CONTENT_MODERATION: () =>
    __('Rephrase the prompt, or leave out what the provider declines to create.', 'galley'),
  PROVIDER_UNAVAILABLE: () =>
    __(
      'Request it again later. If it keeps failing, ask whoever runs this Galley to check the provider.',
      'galley',
    ),
  PROVIDER_REJECTED: () =>
    __('Ask for something simpler, or show this to whoever runs this Galley.', 'galley'),
  INVALID_OUTPUT: () =>
    __('Request it again, perhaps with another tier of models: this one returned nothing usable.', 'galley'),
  SOURCES_UNAVAILABLE: () =>
    __('Say what happened, where and when, or request an article instead of news.', 'galley'),
  STORAGE_FAILED: () =>
    __('Ask whoever runs this Galley to check the file storage. Then request it again.', 'galley'),
  BUDGET_EXCEEDED: () =>
    __('Ask for less in one job, or ask whoever runs this Galley to raise the limit.', 'galley'),
} satisfies Record<NonNullable<Job['error']>['code'], () => string>

/** The first line of a prompt, shortened for a heading. */
export function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return line.length > LONGEST ? `${line.slice(0, LONGEST).trimEnd()}…` : line
}

/** The limit of a heading, in characters. */
const LONGEST = 120
