import { __ } from '@wordpress/i18n'
import { formatter } from '../../components/format.ts'
import type { Mark } from './plot.tsx'

interface Period {
  /** What is written on its button. */
  label: () => string
  /** The title of its plot. */
  documents: () => string
  /** The head of the column with its spans. */
  span: () => string
  /** When each bar begins. */
  begins: (now: Date) => Date[]
  /** How a moment is written, and which bars have a text below. */
  said: (begin: Date) => string
  marks: (begins: readonly Date[]) => Mark[]
}

const clocks = formatter((language) => new Intl.DateTimeFormat(language, { timeStyle: 'short' }))
const weekdays = formatter((language) => new Intl.DateTimeFormat(language, { weekday: 'short' }))
const days = formatter((language) => new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short' }))
const dayClocks = formatter(
  (language) => new Intl.DateTimeFormat(language, { weekday: 'short', hour: 'numeric', minute: '2-digit' }),
)
const longDays = formatter(
  (language) => new Intl.DateTimeFormat(language, { weekday: 'short', day: 'numeric', month: 'short' }),
)

const HOUR_MS = 60 * 60_000

/** So many days of the viewer's zone, today the last, in so many parts each; days with another hour have as many. */
const daysBefore = (now: Date, count: number, parts: number): Date[] =>
  Array.from({ length: count * parts }, (_, index) => {
    const day = now.getDate() - count + 1 + Math.floor(index / parts)
    return new Date(now.getFullYear(), now.getMonth(), day, (index % parts) * (24 / parts))
  })

/** The periods that can be looked at, by their name in the address. */
export const periods = {
  '24h': {
    label: () => __('24 hours', 'galley'),
    // translators: %s: a number
    documents: () => __('Documents per hour (peak %s)', 'galley'),
    span: () => __('Hour', 'galley'),
    begins: (now) => {
      const hour = new Date(now).setMinutes(0, 0, 0)
      return Array.from({ length: 24 }, (_, index) => new Date(hour - (23 - index) * HOUR_MS))
    },
    said: (begin) => clocks().format(begin),
    marks: (begins) =>
      begins.flatMap((begin, at) =>
        begin.getHours() % 6 === 0 && at > 1 && at < 22 ? [{ at, text: clocks().format(begin) }] : [],
      ),
  },
  '7d': {
    label: () => __('7 days', 'galley'),
    // translators: %s: a number
    documents: () => __('Documents in six hours (peak %s)', 'galley'),
    span: () => __('From', 'galley'),
    begins: (now) => daysBefore(now, 7, 4),
    said: (begin) => dayClocks().format(begin),
    marks: (begins) =>
      begins.flatMap((begin, at) => (at % 4 === 0 ? [{ at: at + 2, text: weekdays().format(begin) }] : [])),
  },
  '30d': {
    label: () => __('30 days', 'galley'),
    // translators: %s: a number
    documents: () => __('Documents per day (peak %s)', 'galley'),
    span: () => __('Day', 'galley'),
    begins: (now) => daysBefore(now, 30, 1),
    said: (begin) => longDays().format(begin),
    marks: (begins) =>
      begins.flatMap((begin, at) => (at % 10 === 4 ? [{ at: at + 0.5, text: days().format(begin) }] : [])),
  },
} satisfies Record<string, Period>

export type PeriodName = keyof typeof periods

/** The period that an address names. */
export const periodNamed = (name: string | undefined): PeriodName =>
  name !== undefined && Object.hasOwn(periods, name) ? (name as PeriodName) : '24h'
