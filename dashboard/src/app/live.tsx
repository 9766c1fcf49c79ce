import { focusManager, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { call } from '../api/client.ts'
import { isUnavailable } from '../api/failure.ts'
import { followStream, isEarlyStreamOpen, takeEarlyStream } from '../api/stream.ts'

/** Milliseconds between two polls without a stream. */
const POLL_MS = 5_000

/** Milliseconds in which events are collected: a hundred deliveries in a second are one refetch. */
const BATCH_MS = 400

/** How a query is kept fresh: by events of the stream, or by polling. */
type Live = 'streamed' | 'asked'

/**
 * Refetches the active queries of these kinds, and those whose last refetch failed. Queries without data are left alone: a person reads
 * the error.
 */
const refetchLive = (queryClient: QueryClient, kinds: readonly Live[]) =>
  void queryClient.invalidateQueries(
    {
      predicate: ({ meta, state: { data, error } }) =>
        data !== undefined &&
        (kinds.includes(meta?.live as Live) || (meta?.live !== undefined && isUnavailable(error))),
      refetchType: 'active',
    },
    { cancelRefetch: false },
  )

/** The same, unless the tab is in the background. */
const refetchIfVisible = (queryClient: QueryClient, kinds: readonly Live[]) => {
  if (isVisible()) refetchLive(queryClient, kinds)
}

const isVisible = () => document.visibilityState === 'visible'

const onVisibility = (changed: () => void) => {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}

/**
 * Refetches queries that are in flight once more when they are done: their answer may be older than the event. They are not cancelled:
 * where events come faster than answers, no answer would ever arrive.
 */
const refetchAfterFlight = (queryClient: QueryClient) => {
  const asked = queryClient.getQueryCache().findAll({
    type: 'active',
    fetchStatus: 'fetching',
    predicate: ({ meta }) => meta?.live === 'streamed',
  })
  for (const { queryKey, promise } of asked)
    void promise?.then(
      () => queryClient.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false }),
      () => undefined,
    )
}

/** Galley answers again: retries failed queries, also those without `live`. */
const retryFailed = (queryClient: QueryClient) =>
  void queryClient.refetchQueries({
    type: 'active',
    predicate: ({ state: { status, error } }) => status === 'error' && isUnavailable(error),
  })

/**
 * Keeps visible data up to date. Queries with `meta: { live: 'streamed' }` are refetched on events, and every few seconds without a
 * stream, as those with `live: 'asked'` always are. A background tab has no stream: without HTTP/2 a browser opens six connections to a
 * host, and six such tabs would block the seventh. While the session has ended nothing is asked.
 */
export function LiveProvider({ ended, children }: { ended: boolean; children: ReactNode }) {
  const queryClient = useQueryClient()
  const visible = useSyncExternalStore(onVisibility, isVisible)
  const [streaming, setStreaming] = useState(false)
  // Before any query: when the stream is open already, its first event says nothing new.
  const [openedBefore] = useState(isEarlyStreamOpen)

  useEffect(() => {
    if (!ended) return
    focusManager.setFocused(false)
    return () => focusManager.setFocused(undefined)
  }, [ended])

  useEffect(() => {
    if (ended) return
    const look = (kinds: readonly Live[]) => refetchIfVisible(queryClient, kinds)
    const lookAtAll = () => look(['streamed', 'asked'])
    const stopHearing = onVisibility(lookAtAll)
    const timer = setInterval(() => look(streaming ? ['asked'] : ['streamed', 'asked']), POLL_MS)
    return () => {
      stopHearing()
      clearInterval(timer)
    }
  }, [queryClient, ended, streaming])

  useEffect(() => {
    const early = takeEarlyStream()
    if (!visible || ended) return early?.stop()
    const stop = new AbortController()
    let batch: ReturnType<typeof setTimeout> | undefined
    let known = early !== undefined && openedBefore
    const onEvent = (name: string) => {
      const isBegun = known && name === 'ready'
      known = false
      if (isBegun) return
      batch ??= setTimeout(() => {
        batch = undefined
        refetchAfterFlight(queryClient)
        refetchLive(queryClient, ['streamed'])
      }, BATCH_MS)
    }
    // An ended session is reported by the answer to any call.
    const onRefused = () => void call('getSession').catch(() => undefined)
    const onOpen = (open: boolean) => {
      if (stop.signal.aborted) return
      setStreaming(open)
      known &&= open
      if (open) retryFailed(queryClient)
      // Only the stream broke, or Galley is down: a refetch tells.
      else refetchIfVisible(queryClient, ['streamed', 'asked'])
    }
    void followStream({ early, onOpen, onEvent, onRefused, signal: stop.signal })
    return () => {
      stop.abort()
      clearTimeout(batch)
      setStreaming(false)
    }
  }, [queryClient, ended, openedBefore, visible])

  return <>{children}</>
}
