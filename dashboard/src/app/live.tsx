import { focusManager, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { operations } from '../../../src/client/api.ts'
import { call } from '../api/client.ts'
import { isOpenEarly, takeEarly } from '../api/early-stream.ts'
import { isAway } from '../api/failure.ts'
import { follow } from '../api/stream.ts'

/** Milliseconds between two looks where Galley does not say by itself that something has happened. */
const LOOK_MS = 5_000

/** Milliseconds in which what happens is gathered: a hundred deliveries in a second are one look. */
const GATHER_MS = 400

/** Where the description of the API has it. */
const streamPath = Object.values(operations)
  .map(({ path }): string => path)
  .find((path) => path === '/v1/stream')

/** How a query is kept fresh: by the stream, which tells of deliveries, sites, events and jobs, or by asking again. */
type Live = 'streamed' | 'asked'

/**
 * What has failed and was never there is left alone: somebody reads why. What Galley could not answer the last time is of every
 * kind.
 */
const lookAgain = (queryClient: QueryClient, kinds: readonly Live[]) =>
  void queryClient.invalidateQueries(
    {
      predicate: ({ meta, state: { data, error } }) =>
        data !== undefined &&
        (kinds.includes(meta?.live as Live) || (meta?.live !== undefined && isAway(error))),
      refetchType: 'active',
    },
    { cancelRefetch: false },
  )

/** As above, where somebody looks. */
const lookIfSeen = (queryClient: QueryClient, kinds: readonly Live[]) => {
  if (isVisible()) lookAgain(queryClient, kinds)
}

const isVisible = () => document.visibilityState === 'visible'

const onVisibility = (changed: () => void) => {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}

/**
 * What is under way was asked before something happened, and its answer may be from before: it is looked at once more when that
 * is there. It is not broken off: where something happens more often than Galley answers, no answer would ever come.
 */
const lookAfterwards = (queryClient: QueryClient) => {
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

/** Galley answers again: what it did not answer is asked once more, also what is never looked at by itself. */
const askAgain = (queryClient: QueryClient) =>
  void queryClient.refetchQueries({
    type: 'active',
    predicate: ({ state: { status, error } }) => status === 'error' && isAway(error),
  })

/**
 * Keeps what is seen up to date: every query whose `meta` says `live: 'streamed'` is asked again when something has happened,
 * and where no stream comes every few seconds, as one of `live: 'asked'` always is; none while nobody looks. A tab in the
 * background has no stream: without HTTP/2 a browser opens six connections to one host, and six such tabs would leave none
 * to the seventh. While the session has ended, nothing is asked at all; what was seen is looked at anew when it goes on.
 */
export function LiveProvider({ ended, children }: { ended: boolean; children: ReactNode }) {
  const queryClient = useQueryClient()
  const visible = useSyncExternalStore(onVisibility, isVisible)
  const [streaming, setStreaming] = useState(false)
  // Before anything below was asked: what the stream says when it begins, that all is to be asked anew, is true already.
  const [openedBefore] = useState(isOpenEarly)

  useEffect(() => {
    if (!ended) return
    focusManager.setFocused(false)
    return () => focusManager.setFocused(undefined)
  }, [ended])

  useEffect(() => {
    if (ended) return
    const look = (kinds: readonly Live[]) => lookIfSeen(queryClient, kinds)
    const lookAtAll = () => look(['streamed', 'asked'])
    const stopHearing = onVisibility(lookAtAll)
    const timer = setInterval(() => look(streaming ? ['asked'] : ['streamed', 'asked']), LOOK_MS)
    return () => {
      stopHearing()
      clearInterval(timer)
    }
  }, [queryClient, ended, streaming])

  useEffect(() => {
    const early = takeEarly()
    if (streamPath === undefined || !visible || ended) return early?.stop()
    const stop = new AbortController()
    let gathering: ReturnType<typeof setTimeout> | undefined
    let known = early !== undefined && openedBefore
    const happened = (name: string) => {
      const isBegun = known && name === 'ready'
      known = false
      if (isBegun) return
      gathering ??= setTimeout(() => {
        gathering = undefined
        lookAfterwards(queryClient)
        lookAgain(queryClient, ['streamed'])
      }, GATHER_MS)
    }
    // Whoever is not signed in any more is told by the answer to a call, as everywhere.
    const onRefused = () => void call('getSession').catch(() => undefined)
    const onOpen = (open: boolean) => {
      if (stop.signal.aborted) return
      setStreaming(open)
      known &&= open
      if (open) askAgain(queryClient)
      // It may be the stream alone that broke off, or nobody is there any more: then that is said.
      else lookIfSeen(queryClient, ['streamed', 'asked'])
    }
    void follow(streamPath, { early, onOpen, onEvent: happened, onRefused, signal: stop.signal })
    return () => {
      stop.abort()
      clearTimeout(gathering)
      setStreaming(false)
    }
  }, [queryClient, ended, openedBefore, visible])

  return <>{children}</>
}
