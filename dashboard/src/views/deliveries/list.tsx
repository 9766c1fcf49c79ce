import { Link, useSearch } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import type { Delivery } from '../../api/client.ts'
import { useMay } from '../../app/session-context.ts'
import { useBulk } from '../../components/bulk/use-bulk.tsx'
import { countOf } from '../../components/bulk/words.ts'
import { Head } from '../../components/head.tsx'
import { Empty } from '../../components/states/empty.tsx'
import { defined, readAddress } from '../../components/table/address.ts'
import { Table } from '../../components/table/table.tsx'
import { deliveriesQuery } from '../../data/deliveries.ts'
import { columns } from './columns.tsx'
import { FILTERS, filterFor, queryFor } from './list-query.ts'
import { isNarrowed, Narrowed } from './narrowed.tsx'

/** Deliveries, the newest first; what else is in the address (`code`, `site_id`, …) narrows them too. */
export default function Deliveries() {
  const search = useSearch({ strict: false }) as Record<string, string>
  const { search: text, filters } = readAddress(search, FILTERS)
  const [shown] = useState(columns)
  const bulk = useBulk<Delivery>(
    'deliveries',
    defined(filterFor({ search: text, filters }, search)),
    useMay('deliveries.act'),
  )
  return (
    <>
      <Head
        title={__('Deliveries', 'galley')}
        actions={
          <>
            <Link className="g-button" to="/bulk">
              {__('Bulk actions', 'galley')}
            </Link>
            {bulk.button}
          </>
        }
      />
      {bulk.panel}
      {isNarrowed(search) && <Narrowed {...search} />}
      <Table<Delivery>
        name="deliveries"
        label={__('Deliveries', 'galley')}
        columns={shown}
        filterable={FILTERS}
        actions={bulk.actions}
        onBulk={bulk.onBulk}
        counted={(count) => countOf('deliveries', count)}
        shown={['status', 'site', 'error', 'created_at']}
        query={(request) => deliveriesQuery(queryFor(request, search))}
        empty={
          isNarrowed(search) ? (
            <Empty title={__('There are none of these', 'galley')} />
          ) : (
            <Empty title={__('No deliveries yet', 'galley')}>
              <p>
                {__('Every document that arrives for a site is listed here, with its outcome.', 'galley')}
              </p>
            </Empty>
          )
        }
      />
    </>
  )
}
