import { hashKey, keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

/** A page of a list, as the API answers it. */
interface FoundPage {
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

const isEmpty = (page: FoundPage | undefined): page is FoundPage => page?.data.length === 0

/**
 * A page of a list of which Galley reads only so much for one answer: nothing may be on it, and something on one behind it. Those
 * are asked for one after the other, for as long as somebody looks, until something is found or the list ends. The page itself is
 * kept up to date meanwhile: what comes to be on it is shown.
 *
 * @param at the query for what lies behind a cursor
 * @param cursor where the page begins
 * @returns the query whose answer is to be shown, and whether that is still looked for
 */
export function useFound<Page extends FoundPage>(
  at: (cursor: string | undefined) => PageQuery<Page>,
  cursor?: string,
): [found: UseQueryResult<Page>, lookingFurther: boolean] {
  const query = at(cursor)
  const first = useQuery<Page>({ ...query, placeholderData: keepPreviousData })
  const of = hashKey(query.queryKey)
  const [reached, setReached] = useState({ of, cursor: '' })
  const nothingHere = isEmpty(first.data) && !first.isPlaceholderData
  // Where the page ends moves with what comes before it: who has gone on does not begin anew for that.
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
  // Nothing was found of what was looked for before.
  return [first, isEmpty(first.data) && first.isPlaceholderData]
}
