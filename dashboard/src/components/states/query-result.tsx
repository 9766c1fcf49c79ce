import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failure } from './failure.tsx'
import { Loading } from './loading.tsx'

interface QueryResultProps<Data> {
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
}

/**
 * What a query has answered, or that it is under way, or why it failed. What was there once stays, though a later look
 * failed: the frame says that Galley does not answer.
 */
export function QueryResult<Data>({ query, children }: QueryResultProps<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <Failure error={query.error} onAgain={() => void query.refetch()} />
  return <Loading />
}
