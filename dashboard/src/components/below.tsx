import { type UseQueryOptions, useQueries } from '@tanstack/react-query'
import type { ReactNode } from 'react'

interface BelowProps {
  /** Of the parts above. */
  queries: readonly object[]
  children: ReactNode
}

/** Parts of a page that wait for the first answers of those above, which would move them from under a pointer. */
export function Below({ queries, children }: BelowProps) {
  const isLate = useQueries({ queries: queries as UseQueryOptions[] }).some(({ isLoading }) => isLoading)
  return isLate ? null : children
}
