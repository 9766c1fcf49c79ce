import { Link, useSearch } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import { lazy, Suspense, useMemo } from 'react'
import type { ListedSite } from '../../api/client.ts'
import { useMay } from '../../app/session-context.ts'
import { useBulk } from '../../components/bulk/use-bulk.tsx'
import { countOf } from '../../components/bulk/words.ts'
import { Head } from '../../components/head.tsx'
import { Empty } from '../../components/states/empty.tsx'
import { defined, readAddress } from '../../components/table/address.ts'
import { Table } from '../../components/table/table.tsx'
import { sitesQuery } from '../../data/sites.ts'
import { FILTERS, filterFor, queryFor } from './asked.ts'
import { fields } from './fields.tsx'

/** Where there are none, it shows nothing. */
const ConnectLinks = lazy(async () => ({ default: (await import('./links.tsx')).ConnectLinks }))

/** All sites that one sees. */
export default function Sites() {
  const mayConnect = useMay('sites.change')
  const shown = useMemo(fields, [])
  const asked = useSearch({ strict: false }) as Record<string, string>
  const { search, filters } = readAddress(asked, FILTERS)
  const bulk = useBulk<ListedSite>('sites', defined(filterFor({ search, filters }, asked)), mayConnect)
  const connect = mayConnect && (
    <Link className="g-button primary" to="/welcome">
      {__('Connect a site', 'galley')}
    </Link>
  )
  return (
    <>
      <Head
        title={__('Sites', 'galley')}
        actions={
          <>
            {bulk.button}
            {mayConnect && (
              <Link className="g-button" to="/sites/import">
                {__('Import', 'galley')}
              </Link>
            )}
            {connect}
          </>
        }
      />
      {bulk.panel}
      <Suspense>
        <ConnectLinks />
      </Suspense>
      {asked.label && (
        <p className="g-section">
          {sprintf(
            // translators: %s: a label of sites
            __('Only those with the label %s.', 'galley'),
            asked.label,
          )}{' '}
          <Link to="/sites">{__('Show all', 'galley')}</Link>
        </p>
      )}
      <Table<ListedSite>
        name="sites"
        label={__('Sites', 'galley')}
        fields={shown}
        actions={bulk.actions}
        onChosen={bulk.onChosen}
        counted={(count) => countOf('sites', count)}
        titleField="name"
        shown={['url', 'status', 'backlog', 'last_delivery', 'finding']}
        fewer={['status', 'backlog', 'last_delivery', 'finding']}
        query={(request) => sitesQuery(queryFor(request, asked))}
        to={({ id }) => ({ to: '/sites/$id', params: { id } })}
        empty={
          asked.label ? (
            <Empty title={__('Nothing matches', 'galley')} />
          ) : (
            <Empty title={__('No site is connected yet', 'galley')} actions={connect}>
              <p>{__('Connect a WordPress site, and documents can be delivered to it.', 'galley')}</p>
            </Empty>
          )
        }
      />
    </>
  )
}
