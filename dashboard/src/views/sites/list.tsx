import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { lazy, Suspense, useState } from 'react'
import { addressOf, type ListedSite } from '../../api/client.ts'
import { useMay, useMayConnect } from '../../app/session-context.ts'
import { useBulk } from '../../components/bulk/use-bulk.tsx'
import { countOf } from '../../components/bulk/words.ts'
import { LinkButton } from '../../components/button.tsx'
import { Head } from '../../components/head.tsx'
import { Message } from '../../components/states.tsx'
import { defined, readAddress } from '../../components/table/address.ts'
import type { TableAction } from '../../components/table/columns.ts'
import { Table } from '../../components/table/table.tsx'
import { linksQuery, type SiteQuery, siteStatesQuery, sitesQuery } from '../../data/sites.ts'
import { useSiteActions } from './actions.ts'
import { columns } from './columns.tsx'
import { ConnectLinks } from './links.tsx'
import { FILTERS, filterFor, queryFor } from './list-query.ts'

const OwnerLinks = lazy(async () => ({ default: (await import('./owner-links.tsx')).OwnerLinks }))

/** The list of sites. */
export default function Sites() {
  const mayConnect = useMayConnect()
  const mayChange = useMay('sites.change')
  const asked = useSearch({ strict: false }) as Record<string, string>
  const cause = asked.trouble ?? asked.finding
  const { search, filters } = readAddress(asked, FILTERS)
  const [shown] = useState(columns)
  const filter = filterFor({ search, filters }, asked)
  const bulk = useBulk<ListedSite>('sites', defined(filter), mayChange)
  const navigate = useNavigate()
  const links = useInfiniteQuery(linksQuery())
  const [chosen, setChosen] = useState<SiteQuery>()
  // Linked to by others.
  const owners = mayChange ? (chosen ?? (asked.connect === 'owners' ? filter : undefined)) : undefined
  const connectAgain: TableAction<ListedSite> = {
    id: 'connect',
    label: __('Connect again', 'galley'),
    run: (sites) => setChosen({ site_id: sites.map(({ id }) => id) }),
  }
  const actionsOf = useSiteActions()
  const connect = mayConnect && (
    <LinkButton primary to="/welcome" search={{ connect: 'new' }}>
      {__('Connect a site', 'galley')}
    </LinkButton>
  )
  return (
    <>
      <Head
        title={__('Sites', 'galley')}
        actions={
          <>
            {mayConnect && <LinkButton to="/sites/import">{__('Import', 'galley')}</LinkButton>}
            {connect}
          </>
        }
      />
      {bulk.panel}
      <Suspense>
        {owners && (
          <OwnerLinks
            // Links that were made are shown only once: a search in the table below must not take them away.
            key={JSON.stringify(chosen)}
            filter={owners}
            onDone={() => {
              setChosen(undefined)
              void navigate({ to: '.', search: { ...asked, connect: undefined } as never, replace: true })
            }}
          />
        )}
      </Suspense>
      <ConnectLinks links={links} />
      {cause && (
        <p className="g-section">
          <OfCause code={cause} /> <Link to="/sites">{__('Show all', 'galley')}</Link>
        </p>
      )}
      {!links.isLoading && (
        <Table<ListedSite>
          name="sites"
          label={__('Sites', 'galley')}
          columns={shown}
          filterable={FILTERS}
          actionsOf={actionsOf}
          actions={mayChange ? [connectAgain, ...bulk.actions] : []}
          onBulk={bulk.onBulk}
          counted={(count) => countOf('sites', count)}
          exportAddress={addressOf('exportSites', { query: { ...filter, format: 'csv' } })}
          shown={['state', 'finding', 'backlog', 'last_delivery']}
          query={(request) => sitesQuery(queryFor(request, asked))}
          empty={
            cause ? (
              <Message title={__('No site has this problem now', 'galley')} />
            ) : (
              <Message title={__('No site is connected yet', 'galley')} actions={connect}>
                <p>{__('Connect a WordPress site, and documents can be delivered to it.', 'galley')}</p>
              </Message>
            )
          }
        />
      )}
    </>
  )
}

/** The common cause in words, while any site has it. */
function OfCause({ code }: { code: string }) {
  const { data } = useQuery(siteStatesQuery())
  const cause = data?.causes.find((one) => one.code === code)
  if (cause === undefined) return <>{__('Only sites with the same problem.', 'galley')}</>
  return (
    <>
      {cause.sentence} {cause.todo}
    </>
  )
}
