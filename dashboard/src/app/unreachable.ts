import { useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { Unreachable } from '../api/failure.ts'

/** Whether the newest answer that was waited for did not come. */
export function useIsUnreachable(): boolean {
  const cache = useQueryClient().getQueryCache()
  return useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => {
      const settled = cache
        .getAll()
        .filter((query) => query.isActive() && query.state.fetchStatus === 'idle')
        .map(({ state }) => ({ at: Math.max(state.dataUpdatedAt, state.errorUpdatedAt), state }))
      const newest = settled.reduce<(typeof settled)[number] | undefined>(
        (best, one) => (best === undefined || one.at > best.at ? one : best),
        undefined,
      )
      return newest?.state.status === 'error' && newest.state.error instanceof Unreachable
    },
  )
}
