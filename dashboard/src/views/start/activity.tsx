import './activity.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import type { Cause, Delivery, DeliveryHours } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { Below } from '../../components/below.tsx'
import { formatNumber } from '../../components/format.ts'
import { QueryResult } from '../../components/states.tsx'
import { deliveryStates } from '../../components/status.tsx'
import { duration } from '../../components/time.tsx'
import { type PeriodName, periodNamed, periods } from './periods.ts'
import { type Bar, highest, type Mark, Plot } from './plot.tsx'
import { activityQueries } from './queries.ts'

type Status = Delivery['status']

/** From the bottom of a bar to its top. */
const stacked = [
  'delivered',
  'delivering',
  'queued',
  'waiting',
  'withdrawn',
  'cancelled',
  'kept',
  'held',
  'failed',
] as const

/** The deliveries of a period by outcome, how long they took, why they failed, and the sites with the most trouble. */
export function Activity() {
  const [search, setSearch] = useAddressSearch()
  const name = periodNamed(search.period)
  const { since, queries } = activityQueries(name, search.label)
  const hours = useQuery(queries.hours)
  const causes = useQuery(queries.causes).data?.data ?? []
  const deliveries = { created_from: since, label: search.label }
  return (
    <section className="g-section" aria-labelledby="activity">
      <div className="g-activity-head">
        <h2 id="activity">{__('Activity', 'galley')}</h2>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be a part of a form */}
        <div className="g-switch" role="group" aria-label={__('Period', 'galley')}>
          {(Object.keys(periods) as PeriodName[]).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === name}
              onClick={() => setSearch({ period: one === '24h' ? undefined : one })}
            >
              {periods[one].label()}
            </button>
          ))}
        </div>
      </div>
      <QueryResult query={hours}>
        {(counted) =>
          counted.hours.length === 0 ? (
            <p className="g-card g-weak">{__('No document has come in this time.', 'galley')}</p>
          ) : (
            <div className="g-activity">
              <div className="g-card g-activity">
                <Outcomes {...counted} search={deliveries} />
                <Hours name={name} {...counted} />
              </div>
              {causes.length > 0 && <Failures causes={causes.slice(0, CAUSES_SHOWN)} search={deliveries} />}
              <Below queries={[queries.causes]}>
                {counted.by_site.length > 1 && <Sites name={name} {...counted} />}
              </Below>
            </div>
          )
        }
      </QueryResult>
    </section>
  )
}

/** How many of each outcome, with its colour in the plots. */
function Outcomes({ hours, search }: Pick<DeliveryHours, 'hours'> & { search: object }) {
  const parts = (Object.keys(deliveryStates) as Status[])
    .map((status) => ({ status, count: hours.reduce((sum, { by_status }) => sum + by_status[status], 0) }))
    .filter(({ count }) => count > 0)
  return (
    <ul className="g-outcomes">
      {parts.map(({ status, count }) => (
        <li key={status}>
          <Link to="/deliveries" search={{ ...search, status } as never}>
            <span className={`g-dot of-${status}`} aria-hidden="true" />
            <strong>{formatNumber(count)}</strong> {deliveryStates[status].label()}
          </Link>
        </li>
      ))}
    </ul>
  )
}

type HoursProps = DeliveryHours & { name: PeriodName }

function Hours({ name, hours, median_ms }: HoursProps) {
  const { documents, span, marks, spans } = spansOf(name, hours)
  const slowest = Math.max(...hours.map((hour) => hour.median_ms ?? 0))
  const [unit, sign] = timeUnit(slowest)
  return (
    <>
      <Plot
        title={<h3>{sprintf(documents(), formatNumber(highest(spans)))}</h3>}
        bars={spans}
        marks={marks}
        formatValue={formatNumber}
        table={<SpanTable caption={__('Documents', 'galley')} span={span()} spans={spans} />}
      />
      {median_ms !== null && (
        <Plot
          low
          title={
            <h3>
              {sprintf(
                // translators: %s: a duration such as 1.4 s
                __('Median delivery time %s', 'galley'),
                duration(median_ms),
              )}
            </h3>
          }
          bars={spans.map(({ id, label, median_ms: took }) => ({
            ...{ id, label, said: took === null ? '' : duration(took) },
            parts: took === null ? [] : [{ name: 'time', value: took }],
          }))}
          marks={marks}
          unit={unit}
          formatValue={(value) => `${formatNumber(value / unit)} ${sign}`}
          table={null}
        />
      )}
    </>
  )
}

/** In which unit durations are written at an axis. */
function timeUnit(ms: number): [ms: number, sign: string] {
  if (ms <= 1_000) return [1, 'ms']
  if (ms < 120_000) return [1_000, 's']
  return ms < 7_200_000 ? [60_000, 'min'] : [3_600_000, 'h']
}

interface Span extends Bar {
  median_ms: number | null
}

/** All spans of a period, those without anything too. */
function spansOf(name: PeriodName, hours: DeliveryHours['hours']) {
  const period = periods[name]
  const begins = period.begins(new Date())
  const known = new Map(hours.map((hour) => [Date.parse(hour.from), hour]))
  const spans = begins.map((begin): Span => {
    const { by_status, median_ms = null } = known.get(begin.getTime()) ?? {}
    const parts = stacked.flatMap((status) => {
      const value = by_status?.[status] ?? 0
      return value === 0 ? [] : [{ name: status, value }]
    })
    return {
      id: begin.toISOString(),
      label: period.said(begin),
      said: parts
        .map(({ name: status, value }) => `${formatNumber(value)} ${deliveryStates[status].label()}`)
        .join(', '),
      parts,
      median_ms,
    }
  })
  return { ...period, marks: period.marks(begins) as Mark[], spans }
}

interface SpanTableProps {
  caption: string
  span: string
  spans: Span[]
  /** Without the time to post. */
  brief?: boolean
}

const SpanTable = ({ caption, span, spans, brief = false }: SpanTableProps) => (
  <table>
    <caption>{caption}</caption>
    <thead>
      <tr>
        <th scope="col">{span}</th>
        <th scope="col">{__('Documents', 'galley')}</th>
        {!brief && <th scope="col">{__('Time to post', 'galley')}</th>}
      </tr>
    </thead>
    <tbody>
      {spans
        .filter(({ said }) => said !== '')
        .map(({ id, label, said, median_ms }) => (
          <tr key={id}>
            <th scope="row">{label}</th>
            <td>{said}</td>
            {!brief && <td>{median_ms === null ? '–' : duration(median_ms)}</td>}
          </tr>
        ))}
    </tbody>
  </table>
)

const CAUSES_SHOWN = 6

/** Why deliveries of the period failed or wait for a person: a bar for each cause. */
function Failures({ causes, search }: { causes: Cause[]; search: object }) {
  const most = Math.max(...causes.map(({ count }) => count))
  return (
    <div className="g-card">
      <h3>{__('Why deliveries failed or wait for you', 'galley')}</h3>
      <ul className="g-failures">
        {causes.map(({ code, sentence, held, failed, filter }) => (
          <li key={code}>
            <Link to="/deliveries" search={{ ...search, code, status: filter.status.join(',') } as never}>
              {sentence}
            </Link>
            <div aria-hidden="true">
              {Object.entries({ held, failed }).map(([status, part]) => (
                <span
                  key={status}
                  className={`of-${status}`}
                  style={{ inlineSize: `${(100 * part) / most}%` }}
                />
              ))}
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The sites with the most trouble, then those with the most documents, by the same measure. */
function Sites({ name, by_site }: HoursProps) {
  const sites = by_site.map((site) => ({ ...site, ...spansOf(name, site.hours) }))
  const most = Math.max(...sites.map(({ spans }) => highest(spans)))
  return (
    <div className="g-card">
      <h3>{__('Sites with the most failures, then with the most documents', 'galley')}</h3>
      <div className="g-sites-plots">
        {sites.map(({ id, name: site, span, spans, marks }) => (
          <Plot
            key={id}
            low
            title={
              <h4>
                <Link to="/sites/$id" params={{ id } as never}>
                  {site ?? id}
                </Link>
              </h4>
            }
            bars={spans}
            marks={marks.filter((_, index) => marks.length < 4 || index % 2 === 0)}
            most={most}
            formatValue={formatNumber}
            table={<SpanTable brief caption={site ?? id} span={span()} spans={spans} />}
          />
        ))}
      </div>
    </div>
  )
}
