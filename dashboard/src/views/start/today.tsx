import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import type { Delivery, DeliveryCounts, DeliveryHours } from '../../api/client.ts'
import { inWords } from '../../components/number.ts'
import { QueryResult } from '../../components/states/query-result.tsx'
import { deliveryStates } from '../../components/status.tsx'
import { duration } from '../../components/time.tsx'
import { countsQuery, hoursQuery } from '../../data/deliveries.ts'
import { Hours } from './hours.tsx'
import { midnight } from './queries.ts'

/** Today's deliveries by outcome and by hour, and how long a document takes to be a post. */
export function Today() {
  const since = midnight()
  const counts = useQuery(countsQuery({ created_from: since }))
  const hours = useQuery(hoursQuery({ created_from: since }))
  return (
    <section className="g-section" aria-labelledby="today">
      <h2 id="today">{__('Today', 'galley')}</h2>
      <QueryResult query={counts}>
        {({ by_status }) => (
          <div className="g-card g-today">
            <Outcomes counts={by_status} since={since} />
            {hours.data && hours.data.hours.length > 0 && <Hours since={since} {...hours.data} />}
            {hours.data && <TimeToPost hours={hours.data} />}
          </div>
        )}
      </QueryResult>
    </section>
  )
}

type Status = Delivery['status']

/** A bar of all outcomes; the list below it says the same in words and numbers. */
function Outcomes({ counts, since }: { counts: DeliveryCounts['by_status']; since: string }) {
  const parts = (Object.keys(deliveryStates) as Status[])
    .map((status) => ({ status, ...deliveryStates[status], ...counts[status] }))
    .filter(({ count }) => count > 0)
  const total = parts.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return <p className="g-weak">{__('No document has come today yet.', 'galley')}</p>
  return (
    <div className="g-outcomes">
      <div className="g-outcomes-bar" aria-hidden="true">
        {parts.map(({ status, tone, count }) => (
          <span key={status} className={tone} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul>
        {parts.map(({ status, label, tone, count, more }) => (
          <li key={status}>
            <Link to="/deliveries" search={{ status, created_from: since } as never}>
              <span className={`g-dot ${tone}`} aria-hidden="true" />
              <strong>
                {inWords(count)}
                {more && '+'}
              </strong>{' '}
              {label()}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The middle: half of them were quicker. */
function TimeToPost({ hours: { median_ms } }: { hours: DeliveryHours }) {
  if (median_ms === null) return null
  return (
    <p className="g-time-to-post">
      {sprintf(
        // translators: %s: a duration such as 1.4 s
        __('Half of them were on their site within %s', 'galley'),
        duration(median_ms),
      )}
    </p>
  )
}
