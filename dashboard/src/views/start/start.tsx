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
import { anySiteQuery } from './queries.ts'
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
            <Causes />
            <Today />
          </>
        )
      }
    </QueryResult>
  )
}
