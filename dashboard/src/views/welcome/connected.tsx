import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { QueryResult } from '../../components/states/query-result.tsx'
import { SiteStatus } from '../../components/status.tsx'
import { siteQuery } from '../../data/sites.ts'
import { Findings } from '../sites/report.tsx'

/** The site that is connected, and what its first check finds, which may still be under way. */
export function Connected({ siteId }: { siteId: string }) {
  const query = useQuery(siteQuery(siteId))
  return (
    <QueryResult query={query}>
      {({ id, name, url, status, report }) => (
        <>
          <p>
            <strong>{name}</strong> <span className="g-weak">{url}</span> <SiteStatus status={status} />
          </p>
          <h3>{__('What the last check found', 'galley')}</h3>
          {report ? (
            <Findings report={report} />
          ) : (
            <p role="status">
              {__('The site is being checked. What is found is shown here in a moment.', 'galley')}
            </p>
          )}
          <p className="g-actions">
            <Link className="g-button" to="/sites/$id" params={{ id } as never}>
              {__('Go to the site', 'galley')}
            </Link>
            <Link className="g-button" to="/welcome" search={{ connect: 'new' } as never}>
              {__('Connect another site', 'galley')}
            </Link>
          </p>
        </>
      )}
    </QueryResult>
  )
}
