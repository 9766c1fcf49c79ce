import './rows.css'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useAddressSearch } from '../app/address-search.ts'
import { QueryResult } from './states/query-result.tsx'
import { Pager } from './table/pager.tsx'

interface RowsProps<Item> {
  query: UseQueryResult<{ data: Item[]; next_cursor: string | null }>
  /** What it is a list of, for those who do not see it. */
  label: string
  /** Where there is nothing. */
  empty: ReactNode
  /** It stands below a heading already. */
  headed?: boolean
  children: (item: Item) => ReactNode
}

/** A page of a list of the API, one below the other: for what has more to it than fits into columns. */
export function Rows<Item extends { id: string }>(props: RowsProps<Item>) {
  const { query, label, empty, headed = false, children } = props
  const [{ cursor }, look] = useAddressSearch()
  return (
    <QueryResult query={query}>
      {({ data, next_cursor }) => (
        <>
          {data.length === 0 && cursor === undefined ? (
            empty
          ) : (
            <>
              {!headed && <h2 className="hidden-text">{label}</h2>}
              <ul className="g-rows" aria-label={label}>
                {data.map((item) => (
                  <li key={item.id} className="g-card g-row">
                    {children(item)}
                  </li>
                ))}
              </ul>
            </>
          )}
          <Pager cursor={cursor} next={next_cursor} onLook={(next) => look({ cursor: next })} />
        </>
      )}
    </QueryResult>
  )
}

interface RowProps {
  title: ReactNode
  /** Its state, beside the title. */
  state?: ReactNode
  /** What can be done with it. */
  actions?: ReactNode
  children?: ReactNode
}

/** One of them. */
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
