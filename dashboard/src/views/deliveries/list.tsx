import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { addressOf, type Delivery } from '../../api/client.ts'
import { useMay } from '../../app/session-context.ts'
import type { Action } from '../../components/actions.tsx'
import { useBulk } from '../../components/bulk/use-bulk.tsx'
import { countOf } from '../../components/bulk/words.ts'
import { LinkButton } from '../../components/button.tsx'
import { formatNumber } from '../../components/format.ts'
import { Head } from '../../components/head.tsx'
import { reviewInWords } from '../../components/post-state.tsx'
import { Message } from '../../components/states.tsx'
import { defined, readAddress } from '../../components/table/address.ts'
import { Table } from '../../components/table/table.tsx'
import { Time } from '../../components/time.tsx'
import { causesQuery, countsQuery, deliveriesQuery } from '../../data/deliveries.ts'
import { siteQuery } from '../../data/sites.ts'
import { useDeliveryActions, waitsForChoice } from './actions.ts'
import { columns } from './columns.tsx'
import { FILTERS, filterFor, queryFor } from './list-query.ts'

/** Deliveries, the newest first. The address may narrow them further (`code`, `site_id`, …). */
export default function Deliveries() {
  const search = useSearch({ strict: false }) as Record<string, string>
  const { search: text, filters } = readAddress(search, FILTERS)
  const [shown] = useState(columns)
  const filter = filterFor({ search: text, filters }, search)
  const bulk = useBulk<Delivery>('deliveries', defined(filter), useMay('deliveries.act'))
  const mayCreate = useMay('deliveries.create')
  const actionsOf = useDeliveryActions()
  const ofRow = (delivery: Delivery): Action[] => [
    ...(waitsForChoice(delivery)
      ? [{ label: __('Compare the texts', 'galley'), to: `/deliveries/${delivery.id}` }]
      : []),
    ...actionsOf(delivery),
  ]
  return (
    <>
      <Head
        title={__('Deliveries', 'galley')}
        actions={<LinkButton to="/bulk">{__('Bulk actions', 'galley')}</LinkButton>}
      />
      {bulk.panel}
      {isNarrowed(search) && <Narrowed {...search} />}
      <Table<Delivery>
        name="deliveries"
        label={__('Deliveries', 'galley')}
        columns={shown}
        filterable={FILTERS}
        actionsOf={ofRow}
        actions={bulk.actions}
        onBulk={bulk.onBulk}
        counted={(count) => countOf('deliveries', count)}
        exportAddress={addressOf('exportDeliveries', { query: { ...filter, format: 'csv' } })}
        shown={['status', 'error', 'site', 'post_status', 'created_at']}
        lead={search.post_status && <ReviewBySite search={search} />}
        leadQueries={search.post_status ? [reviewQuery(search)] : []}
        query={(request) => deliveriesQuery(queryFor(request, search))}
        empty={
          isNarrowed(search) ? (
            <Message title={__('There are none of these', 'galley')} />
          ) : (
            <Message
              title={__('No deliveries yet', 'galley')}
              actions={
                mayCreate && (
                  <LinkButton primary to="/preview">
                    {__('Write a post', 'galley')}
                  </LinkButton>
                )
              }
            >
              <p>
                {__('Every document that arrives for a site is listed here, with its outcome.', 'galley')}
              </p>
            </Message>
          )
        }
      />
    </>
  )
}

type Search = Record<string, string>

/** Parameters of the address beside the table's filters. */
const KEYS = ['delivery_id', 'code', 'warning', 'site_id', 'document_id', 'bulk_id', 'created_from'] as const

const isNarrowed = (search: Search): boolean => KEYS.some((key) => search[key] !== undefined)

/** What the list is narrowed to, and a link to all deliveries. */
function Narrowed({ delivery_id, code, warning, site_id, document_id, bulk_id, created_from }: Search) {
  return (
    <p className="g-section">
      {delivery_id && <>{__('Only those that were selected.', 'galley')} </>}
      {code && (
        <>
          <OfCause code={code} />{' '}
        </>
      )}
      {warning && <>{__('Only those with the same warning.', 'galley')} </>}
      {site_id && !site_id.includes(',') && (
        <>
          <OfSite id={site_id} />{' '}
        </>
      )}
      {document_id && <>{__('Only those of one document.', 'galley')} </>}
      {bulk_id && <>{__('Only those of one bulk action.', 'galley')} </>}
      {created_from && !Number.isNaN(Date.parse(created_from)) && (
        <>
          {__('Only those that arrived since:', 'galley')} <Time at={created_from} exact />{' '}
        </>
      )}
      <Link to="/deliveries">{__('Show all', 'galley')}</Link>
    </p>
  )
}

const reviewQuery = (search: Search) => ({
  ...countsQuery({ ...filterFor(readAddress(search, FILTERS), search), site_id: undefined }),
  placeholderData: keepPreviousData,
})

/** How many posts wait for review on which sites, each with a link to its own. */
function ReviewBySite({ search }: { search: Search }) {
  const { data } = useQuery(reviewQuery(search))
  const { posts = 0, sites = 0, more = false, by_site = [] } = data?.review ?? {}
  if (posts === 0) return null
  return (
    <section className="g-lead" aria-labelledby="review">
      <h2 id="review">{reviewInWords(posts, sites)}</h2>
      <p>
        {by_site.map(({ id, name, count }, place) => (
          <span key={id}>
            {place > 0 && ' · '}
            <Link to="/deliveries" search={{ ...search, site_id: id } as never}>
              {name ?? id}
            </Link>{' '}
            {formatNumber(count)}
          </span>
        ))}
        {by_site.length < sites && ' …'}
        {more && ` ${__('There may be more.', 'galley')}`}
      </p>
    </section>
  )
}

/** The cause in words, while any delivery waits for it. */
function OfCause({ code }: { code: string }) {
  const { data } = useQuery(causesQuery())
  const cause = data?.data.find((one) => one.code === code)
  return <>{cause?.sentence ?? __('Only deliveries with the same problem.', 'galley')}</>
}

function OfSite({ id }: { id: string }) {
  const { data: site } = useQuery(siteQuery(id))
  if (site === undefined) return <>{__('Only those of one site.', 'galley')}</>
  return (
    <>
      {__('Only those of the site', 'galley')}{' '}
      <Link to="/sites/$id" params={{ id } as never}>
        {site.name}
      </Link>
      {'.'}
    </>
  )
}
