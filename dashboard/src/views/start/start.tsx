import './start.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import type { Delivery, DeliveryCounts, DeliveryHours } from '../../api/client.ts'
import { useMay } from '../../app/session-context.ts'
import { formatNumber } from '../../components/format.ts'
import { Head } from '../../components/head.tsx'
import { Message, NoRight, QueryResult } from '../../components/states.tsx'
import { deliveryStates } from '../../components/status.tsx'
import { duration } from '../../components/time.tsx'
import { countsQuery, hoursQuery } from '../../data/deliveries.ts'
import { Causes } from './causes.tsx'
import { Hours } from './hours.tsx'
import { Losses, Review } from './posts.tsx'
import { anyDeliveryQuery, anySiteQuery, midnight } from './queries.ts'

/** The start: what needs a person, and today. */
export default function Start() {
  if (!useMay('deliveries.read')) return <NoRight />
  return (
    <>
      <Head title={__('Start', 'galley')} />
      <Parts />
    </>
  )
}

function Parts() {
  const sites = useQuery(anySiteQuery())
  const mayConnect = useMay('sites.change')
  return (
    <QueryResult query={sites}>
      {({ data }) =>
        data.length === 0 ? (
          <section className="g-card">
            <Message
              title={__('Welcome to Galley', 'galley')}
              actions={
                mayConnect && (
                  <Link className="g-button primary" to="/welcome">
                    {__('Connect your first site', 'galley')}
                  </Link>
                )
              }
            >
              <p>
                {__(
                  'Finished documents become posts on WordPress sites. It starts with a site: three minutes to the first post.',
                  'galley',
                )}
              </p>
            </Message>
          </section>
        ) : (
          <>
            {mayConnect && data[0]?.last_delivery === null && <FirstRun />}
            <Causes />
            <Losses />
            <Review />
            <Today />
          </>
        )
      }
    </QueryResult>
  )
}

/** The next step, with a site and without deliveries. */
function FirstRun() {
  const { data } = useQuery(anyDeliveryQuery())
  if (data === undefined || data.data.length > 0) return null
  return (
    <section className="g-card g-section">
      <Message
        title={__('A site is connected, and no document has come yet', 'galley')}
        actions={
          <Link className="g-button primary" to="/welcome">
            {__('Publish your first post', 'galley')}
          </Link>
        }
      >
        <p>
          {__('What is left is an address for your documents, and a sample that becomes a draft.', 'galley')}
        </p>
      </Message>
    </section>
  )
}

/** Today's deliveries by status and hour, and the median duration. */
function Today() {
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

/** A bar of all statuses; the list below has the same in words. */
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
                {formatNumber(count)}
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

/** The median. */
function TimeToPost({ hours: { median_ms } }: { hours: DeliveryHours }) {
  if (median_ms === null) return null
  return (
    <p className="g-time-to-post">
      {sprintf(
        // translators: %s: a duration such as 1.4 s
        __('Median delivery time %s', 'galley'),
        duration(median_ms),
      )}
    </p>
  )
}
