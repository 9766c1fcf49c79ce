import './rows.css'
import type { UseQueryResult } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import type { ReactNode } from 'react'
import { useAddressSearch } from '../app/address-search.ts'
import { QueryResult } from './states.tsx'
import { Pager } from './table/pager.tsx'

interface RowsProps<Item> {
  query: UseQueryResult<{ data: Item[]; next_cursor: string | null }>
  /** The accessible name. */
  label: string
  /** What is shown when the list is empty. */
  empty: ReactNode
  /** A visible heading is above it. */
  headed?: boolean
  children: (item: Item) => ReactNode
}

/** A page of an API list, one item below the other: for items that do not fit into columns. */
export function Rows<Item extends { id: string }>(props: RowsProps<Item>) {
  const { query, label, empty, headed = false, children } = props
  const [{ cursor }, setSearch] = useAddressSearch()
  return (
    <QueryResult query={query}>
      {({ data, next_cursor }) => (
        <>
          {data.length === 0 ? (
            cursor === undefined ? (
              empty
            ) : (
              <p>{__('Nothing more matches.', 'galley')}</p>
            )
          ) : (
            <>
              {!headed && <h2 className="hidden-text">{label}</h2>}
              <RowList items={data} label={label}>
                {children}
              </RowList>
            </>
          )}
          <Pager cursor={cursor} next={next_cursor} onPage={(next) => setSearch({ cursor: next })} />
        </>
      )}
    </QueryResult>
  )
}

interface RowListProps<Item> {
  items: readonly Item[]
  label?: string
  children: (item: Item) => ReactNode
}

/** Items one below the other. */
export const RowList = <Item extends { id: string }>({ items, label, children }: RowListProps<Item>) => (
  <ul className="g-rows" aria-label={label}>
    {items.map((item) => (
      <li key={item.id} className="g-row">
        {children(item)}
      </li>
    ))}
  </ul>
)

interface RowProps {
  title: ReactNode
  /** A badge beside the title. */
  state?: ReactNode
  /** Buttons. */
  actions?: ReactNode
  children?: ReactNode
}

/** One item. */
export const Row = ({ title, state, actions, children }: RowProps) => (
  <>
    <div className="g-row-text">
      <h3>
        {title} {state}
      </h3>
      {children}
    </div>
    {actions && <div className="g-actions">{actions}</div>}
  </>
)
