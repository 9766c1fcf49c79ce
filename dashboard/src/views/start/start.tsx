import './start.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { useMay } from '../../app/session-context.ts'
import { Head } from '../../components/head.tsx'
import { Empty } from '../../components/states/empty.tsx'
import { NoRight } from '../../components/states/no-right.tsx'
import { QueryResult } from '../../components/states/query-result.tsx'
import { Causes } from './causes.tsx'
import { anyDeliveryQuery, anySiteQuery } from './queries.ts'
import { Today } from './today.tsx'

/** The first view: what needs a person, and how today goes. */
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
            <Empty
              title={__('Welcome to Galley', 'galley')}
              actions={
                mayConnect && (
                  <Link className="g-button primary" to="/welcome">
                    {__('Connect the first site', 'galley')}
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
            </Empty>
          </section>
        ) : (
          <>
            {mayConnect && data[0]?.last_delivery === null && <FirstRun />}
            <Causes />
            <Today />
          </>
        )
      }
    </QueryResult>
  )
}

/** The way on for whoever has a site, and to whom nothing has ever come. */
function FirstRun() {
  const { data } = useQuery(anyDeliveryQuery())
  if (data === undefined || data.data.length > 0) return null
  return (
    <section className="g-card g-section">
      <Empty
        title={__('A site is connected, and no document has come yet', 'galley')}
        actions={
          <Link className="g-button primary" to="/welcome">
            {__('Go on to the first post', 'galley')}
          </Link>
        }
      >
        <p>
          {__('What is left is an address for your documents, and a sample that becomes a draft.', 'galley')}
        </p>
      </Empty>
    </section>
  )
}
