import '../../components/rows.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { Row } from '../../components/rows.tsx'
import { QueryResult } from '../../components/states/query-result.tsx'
import { DeliveryStatus } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { deliveriesQuery } from '../../data/deliveries.ts'

const SHOWN = 5

/** The query of its latest deliveries. */
const latestQuery = (siteId: string) => deliveriesQuery({ site_id: [siteId], limit: SHOWN })

/** What came for a site last, as it moves, and the way to all of it. */
export function Latest({ siteId }: { siteId: string }) {
  const query = useQuery(latestQuery(siteId))
  return (
    <section className="g-section" aria-labelledby="latest-deliveries">
      <h2 id="latest-deliveries">{__('Latest deliveries', 'galley')}</h2>
      <QueryResult query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="g-card g-weak">{__('No deliveries yet', 'galley')}</p>
          ) : (
            <>
              <ul className="g-rows" aria-labelledby="latest-deliveries">
                {data.map(({ id, title, status, created_at, error }) => (
                  <li key={id} className="g-card g-row">
                    <Row
                      title={
                        <Link to="/deliveries/$id" params={{ id } as never}>
                          {title ?? __('(no title)', 'galley')}
                        </Link>
                      }
                      state={<DeliveryStatus status={status} />}
                    >
                      {error && <p>{error.message}</p>}
                      <p className="g-weak">
                        <Time at={created_at} />
                      </p>
                    </Row>
                  </li>
                ))}
              </ul>
              <p>
                <Link to="/deliveries" search={{ site_id: siteId } as never}>
                  {__('All deliveries to this site', 'galley')}
                </Link>
              </p>
            </>
          )
        }
      </QueryResult>
    </section>
  )
}
