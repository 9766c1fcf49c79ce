import { useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { isAway, Unreachable } from '../api/failure.ts'

/**
 * Whether the newest answer that was waited for did not come, or what is kept up to date cannot be: Galley answers, and that it
 * cannot.
 */
export function useIsUnreachable(): boolean {
  const cache = useQueryClient().getQueryCache()
  return useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => {
      const active = cache.getAll().filter((query) => query.isActive())
      if (active.some(({ meta, state }) => meta?.live && state.data !== undefined && isAway(state.error)))
        return true
      const settled = active
        .filter(({ state }) => state.fetchStatus === 'idle')
        .map(({ state }) => ({ at: Math.max(state.dataUpdatedAt, state.errorUpdatedAt), state }))
      const newest = settled.reduce<(typeof settled)[number] | undefined>(
        (best, one) => (best === undefined || one.at > best.at ? one : best),
        undefined,
      )
      return newest?.state.status === 'error' && newest.state.error instanceof Unreachable
    },
  )
}
