import './hours.css'
import { __, sprintf } from '@wordpress/i18n'
import type { DeliveryHours } from '../../api/client.ts'
import { formatNumber, formatter } from '../../components/format.ts'
import { deliveryStates } from '../../components/status.tsx'
import { duration } from '../../components/time.tsx'

const HOUR_MS = 60 * 60_000

/** From the bottom of a bar to its top. */
const stacked = [
  'delivered',
  'delivering',
  'queued',
  'waiting',
  'withdrawn',
  'cancelled',
  'held',
  'failed',
] as const

interface HoursProps extends DeliveryHours {
  since: string
}

/** Today by hours: deliveries by status, and durations. A hidden table has the same data. */
export function Hours({ since, hours, more }: HoursProps) {
  const day = hoursOf(since, hours)
  const most = Math.max(...day.map(({ total }) => total))
  const slowest = Math.max(...day.map(({ median_ms }) => median_ms ?? 0))
  return (
    <figure className="g-hours">
      <figcaption>
        {sprintf(
          // translators: %s: a number
          __('Documents per hour (peak %s)', 'galley'),
          formatNumber(most),
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
              __('Time to post per hour (peak %s)', 'galley'),
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

/** All hours of the day: 23, 24 or 25. */
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
      return count === 0 ? [] : [{ status, tone, count, said: `${formatNumber(count)} ${label()}` }]
    })
    const total = parts.reduce((sum, { count }) => sum + count, 0)
    return { from: new Date(at).toISOString(), total, parts, median_ms: hour?.median_ms ?? null }
  })
}

/** Every sixth hour. */
const Scale = ({ hours }: { hours: string[] }) => (
  <div className="g-hours-scale" aria-hidden="true">
    {hours
      .filter((_, index) => index % 6 === 0 && hours.length - index > 2)
      .map((from) => (
        <span key={from}>{clock(from)}</span>
      ))}
  </div>
)

/** The same as a table, for screen readers. */
const HoursTable = ({ hours }: { hours: ShownHour[] }) => (
  <div className="hidden-text">
    <table>
      <caption>{__('Documents per hour', 'galley')}</caption>
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

/** Units of a picture that is stretched; arbitrary. */
const [HEIGHT, STEP, GAP] = [100, 10, 1.5]

interface Bar {
  id: string
  /** The tooltip. */
  title: string
  /** From the bottom to the top. */
  parts: { name: string; tone: string; value: number }[]
}

interface BarsProps {
  bars: Bar[]
  /** The value of the highest bar. */
  most: number
  /** A lower picture. */
  low?: boolean
}

/** Stacked bars. They are hidden from screen readers, which get the same data elsewhere. */
function Bars({ bars, most, low = false }: BarsProps) {
  const width = bars.length * STEP
  const backwards = document.documentElement.dir === 'rtl'
  return (
    <svg
      className={`g-bars ${low ? 'low' : ''}`}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      {bars.map((bar, index) => (
        <BarOf key={bar.id} bar={bar} most={most} x={(backwards ? bars.length - 1 - index : index) * STEP} />
      ))}
    </svg>
  )
}

function BarOf({ bar: { title, parts }, most, x }: { bar: Bar; most: number; x: number }) {
  let top = HEIGHT
  return (
    <g>
      {title !== '' && <title>{title}</title>}
      <rect className="ground" x={x + GAP / 2} y={0} width={STEP - GAP} height={HEIGHT} />
      {parts.map(({ name, tone, value }) => {
        const height = (value / most) * HEIGHT
        top -= height
        return (
          <rect
            key={name}
            className={`${tone} of-${name}`}
            x={x + GAP / 2}
            y={top}
            width={STEP - GAP}
            height={height}
          />
        )
      })}
    </g>
  )
}
