import './hours.css'
import { __, sprintf } from '@wordpress/i18n'
import type { DeliveryHours } from '../../api/client.ts'
import { formatter } from '../../components/formatter.ts'
import { inWords } from '../../components/number.ts'
import { deliveryStates } from '../../components/status.tsx'
import { duration } from '../../components/time.tsx'
import { Bars } from './bars.tsx'

const HOUR_MS = 60 * 60_000

/** From the bottom of a bar to its top: what went well carries the rest. */
const stacked = ['delivered', 'delivering', 'queued', 'cancelled', 'held', 'failed'] as const

interface HoursProps extends DeliveryHours {
  since: string
}

/** The day by its hours: how many came and what became of them, and how long they took. A table says the same. */
export function Hours({ since, hours, more }: HoursProps) {
  const day = hoursOf(since, hours)
  const most = Math.max(...day.map(({ total }) => total))
  const slowest = Math.max(...day.map(({ median_ms }) => median_ms ?? 0))
  return (
    <figure className="g-hours">
      <figcaption>
        {sprintf(
          // translators: %s: a number
          __('Documents by hour, at most %s', 'galley'),
          inWords(most),
        )}
      </figcaption>
      <Bars
        most={most}
        bars={day.map(({ from, parts, total }) => ({
          id: from,
          title: total === 0 ? '' : `${clock(from)}: ${parts.map(({ said }) => said).join(', ')}`,
          parts: parts.map(({ status, tone, count }) => ({ name: status, tone, value: count })),
        }))}
      />
      <Scale hours={day.map(({ from }) => from)} />
      {slowest > 0 && (
        <>
          <p className="g-hours-said">
            {sprintf(
              // translators: %s: a duration such as 1.4 s
              __('Time to post by hour, at most %s', 'galley'),
              duration(slowest),
            )}
          </p>
          <Bars
            low
            most={slowest}
            bars={day.map(({ from, median_ms }) => ({
              id: from,
              title: median_ms === null ? '' : `${clock(from)}: ${duration(median_ms)}`,
              parts: [{ name: 'time', tone: 'time', value: median_ms ?? 0 }],
            }))}
          />
        </>
      )}
      {more && <p className="g-weak">{__('There are so many that only the newest are shown.', 'galley')}</p>}
      <HoursTable hours={day.filter(({ total }) => total > 0)} />
    </figure>
  )
}

interface ShownHour {
  from: string
  total: number
  parts: { status: string; tone: string; count: number; said: string }[]
  median_ms: number | null
}

/** Every hour of the day, those without documents too: 23, 24 or 25 of them. */
function hoursOf(since: string, hours: DeliveryHours['hours']): ShownHour[] {
  const begin = new Date(since)
  const end = new Date(begin).setDate(begin.getDate() + 1)
  const known = new Map(hours.map((hour) => [Date.parse(hour.from), hour]))
  return Array.from({ length: Math.round((end - begin.getTime()) / HOUR_MS) }, (_, index) => {
    const at = begin.getTime() + index * HOUR_MS
    const hour = known.get(at)
    const parts = stacked.flatMap((status) => {
      const count = hour?.by_status[status] ?? 0
      const { tone, label } = deliveryStates[status]
      return count === 0 ? [] : [{ status, tone, count, said: `${inWords(count)} ${label()}` }]
    })
    const total = parts.reduce((sum, { count }) => sum + count, 0)
    return { from: new Date(at).toISOString(), total, parts, median_ms: hour?.median_ms ?? null }
  })
}

/** Every sixth hour below its bar. */
const Scale = ({ hours }: { hours: string[] }) => (
  <div className="g-hours-scale" aria-hidden="true">
    {hours
      .filter((_, index) => index % 6 === 0 && hours.length - index > 2)
      .map((from) => (
        <span key={from}>{clock(from)}</span>
      ))}
  </div>
)

/** The same for those who do not see it. */
const HoursTable = ({ hours }: { hours: ShownHour[] }) => (
  <div className="hidden-text">
    <table>
      <caption>{__('Documents by hour', 'galley')}</caption>
      <thead>
        <tr>
          <th scope="col">{__('Hour', 'galley')}</th>
          <th scope="col">{__('Documents', 'galley')}</th>
          <th scope="col">{__('Time to post', 'galley')}</th>
        </tr>
      </thead>
      <tbody>
        {hours.map(({ from, parts, median_ms }) => (
          <tr key={from}>
            <th scope="row">{clock(from)}</th>
            <td>{parts.map(({ said }) => said).join(', ')}</td>
            <td>{median_ms === null ? '–' : duration(median_ms)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const clocks = formatter(
  (language) => new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' }),
)

const clock = (at: string): string => clocks().format(new Date(at))
