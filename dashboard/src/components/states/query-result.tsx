import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isGone } from '../../api/failure.ts'
import { Failure } from './failure.tsx'
import { Loading } from './loading.tsx'

interface QueryResultProps<Data> {
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
}

/**
 * Why nothing of a query is shown: it failed, and was never answered, or its newest answer is that what was there is gone, or not
 * for who is signed in any more.
 */
export const failureOf = ({ data, error }: Pick<UseQueryResult, 'data' | 'error'>): Error | null =>
  data === undefined || isGone(error) ? error : null

/**
 * What a query has answered, or that it is under way, or why it failed. What was there once stays, though Galley did not answer a
 * later look, or could not: the frame says so.
 */
export function QueryResult<Data>({ query, children }: QueryResultProps<Data>) {
  const failure = failureOf(query)
  if (failure) return <Failure error={failure} onAgain={() => void query.refetch()} />
  if (query.data !== undefined) return children(query.data)
  return <Loading />
}
