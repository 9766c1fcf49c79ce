import { hashKey, keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

/** A page of a list, as the API answers it. */
interface ListPage {
  data: unknown[]
  next_cursor: string | null
}

/** A query for a page, as `queryOptions` makes it. */
export interface PageQuery<Page> {
  queryKey: readonly unknown[]
  // biome-ignore lint/suspicious/noExplicitAny: what it answers beside the page is the list's own
  queryFn?: ((context: any) => Promise<Page>) | any
  meta?: Record<string, unknown> | undefined
}

const isEmpty = (page: ListPage | undefined): page is ListPage => page?.data.length === 0

/**
 * A page of a list of which the API reads only a part for one answer: a page may be empty though a later one is not. It asks for one
 * page after the other until something is found or the list ends. The first page is still kept up to date.
 *
 * @param at the query for the page behind a cursor
 * @param cursor where the page begins
 * @returns the query to show, and whether the search is still going on
 */
export function useNonEmptyPage<Page extends ListPage>(
  at: (cursor: string | undefined) => PageQuery<Page>,
  cursor?: string,
): [found: UseQueryResult<Page>, searching: boolean] {
  const query = at(cursor)
  const first = useQuery<Page>({ ...query, placeholderData: keepPreviousData })
  const of = hashKey(query.queryKey)
  const [reached, setReached] = useState({ of, cursor: '' })
  const nothingHere = isEmpty(first.data) && !first.isPlaceholderData
  // The end of the first page moves with new items; a search that has gone further does not begin again.
  const from = reached.of === of && reached.cursor !== '' ? reached.cursor : first.data?.next_cursor
  const goesOn = nothingHere && typeof from === 'string'
  const further = useQuery<Page>({
    ...at(goesOn ? from : cursor),
    placeholderData: undefined as never,
    enabled: goesOn,
  })
  const next = goesOn && isEmpty(further.data) ? further.data.next_cursor : null
  useEffect(() => {
    if (next !== null) setReached({ of, cursor: next })
  }, [of, next])
  if (goesOn) return [further, next !== null || further.isPending]
  // Empty, and for the filter before.
  return [first, isEmpty(first.data) && first.isPlaceholderData]
}
