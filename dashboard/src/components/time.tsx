import { __, sprintf } from '@wordpress/i18n'
import { useEffect, useState } from 'react'
import { formatter } from './format.ts'

interface TimeProps {
  /** ISO 8601. */
  at: string
  /** The exact time instead of a relative one. */
  exact?: boolean
}

/** A time in the viewer's zone: relative, with the exact one as a tooltip. */
export function Time({ at, exact = false }: TimeProps) {
  const now = useNow()
  const moment = new Date(at)
  return (
    <time dateTime={at} title={exactly(moment)}>
      {exact ? exactly(moment) : ago(moment, now)}
    </time>
  )
}

/** To the second, with the zone. */
const moments = formatter(
  (language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long' }),
)
const days = formatter((language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium' }))
const distances = formatter((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }))

const exactly = (moment: Date): string => moments().format(moment)

const clocks = formatter((language) => new Intl.DateTimeFormat(language, { timeStyle: 'short' }))
const dayClocks = formatter(
  (language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }),
)

/** `14:02`; with the date on another day. @param at ISO 8601 */
export function clock(at: string): string {
  const moment = new Date(at)
  const isToday = moment.toDateString() === new Date().toDateString()
  return (isToday ? clocks() : dayClocks()).format(moment)
}

/** How long until a time, as it passes: `20 s`; `a moment` once it has come. @param at ISO 8601 */
export function useUntil(at: string | null): string {
  const seconds = Math.ceil((Date.parse(at ?? '') - useNow(1_000)) / 1000)
  if (!(seconds > 0)) return __('a moment', 'galley')
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1000)
}

/** When Galley tries again, as it comes nearer. */
export const NextTry = ({ at }: { at: string }) => (
  // translators: %s: a duration such as 20 s
  <>{sprintf(__('Next try in %s', 'galley'), useUntil(at))}</>
)

/** How long ago each of these times was, as it passes: `2 hours ago`; empty for null. @param times ISO 8601 */
export function useAgo<Name extends string>(times: Record<Name, string | null>): Record<Name, string> {
  const now = useNow()
  const all = Object.entries<string | null>(times).map(([name, at]) => [
    name,
    at === null ? '' : ago(new Date(at), now),
  ])
  return Object.fromEntries(all)
}

const steps: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

const tenths = formatter(
  (locale) => new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
)

/** `3 minutes ago`; the date after a week. */
function ago(moment: Date, now: number): string {
  const seconds = (moment.getTime() - now) / 1000
  if (Math.abs(seconds) > 7 * 86_400) return days().format(moment)
  const [unit, length] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  // Clocks differ: nothing that has happened is in the future.
  if (unit === 'second') return __('just now', 'galley')
  return distances().format(Math.trunc(seconds / length), unit)
}

/** `1.4 s`, `2 min 3 s` */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  // From here on it is written as 60.0 s.
  if (milliseconds < 59_950) return `${tenths().format(milliseconds / 1000)} s`
  const seconds = Math.round(milliseconds / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min ${seconds % 60} s`
}

function useNow(everyMs = 20_000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

/** The beginning of the day `2026-11-23` in the viewer's zone, as an ISO string; undefined for other texts. */
export const dayOf = (day: string | undefined): string | undefined => midnight(day, 0)

/** The beginning of the next day. */
export const dayAfter = (day: string | undefined): string | undefined => midnight(day, 1)

function midnight(day: string | undefined, later: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? []
  return year === undefined
    ? undefined
    : new Date(Number(year), Number(month) - 1, Number(date) + later).toISOString()
}

/** The day that ends at a time, or that contains it, in the viewer's zone: `2026-11-23`. */
export function lastDayBefore(at: string): string {
  const day = new Date(Date.parse(at) - 1)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}
