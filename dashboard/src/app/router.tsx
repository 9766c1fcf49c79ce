import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  type RouterHistory,
  useRouter,
} from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import { UnreachableError } from '../../../src/client/calls.ts'
import { Loading } from '../components/loading.tsx'
import { Failure, NoRight, NotFound } from '../components/states.tsx'
import { type Right, readSession, type Session } from '../session/session.ts'
import { Frame } from './frame.tsx'
import { type Address, type View, type ViewRoute, views } from './views.ts'

interface RouterOptions {
  queryClient: QueryClient
  session: Session
  history?: RouterHistory
}

/** The routes of all views. Each page is a chunk, and its queries are asked while it loads. */
export function makeRouter({ queryClient, session, history }: RouterOptions) {
  const root = createRootRoute({
    component: Frame,
    notFoundComponent: NotFound,
    errorComponent: RouteFailure,
    validateSearch: (search: Record<string, string>) => search,
  })
  const route = (view: View, path: string, { page, queries }: ViewRoute) => {
    const may = (right: Right) => session.rights.includes(right)
    const allowed = may(view.right)
    return createRoute({
      getParentRoute: () => root,
      path,
      component: allowed ? lazyRouteComponent(loadPage(page)) : () => <NoRight />,
      loaderDeps: ({ search }) => ({ search }),
      loader: ({ params, deps }) => {
        if (!allowed) return
        const address: Address = { params, search: deps.search as Record<string, string>, may }
        // Not awaited: the page shows loading and failures.
        for (const query of queries?.(address) ?? []) void queryClient.prefetchQuery(query)
      },
    })
  }
  const routes = views.flatMap((view) =>
    Object.entries(view.routes).map(([path, one]) => route(view, path, one)),
  )
  return createRouter({
    routeTree: root.addChildren(routes),
    ...(history && { history }),
    defaultPendingComponent: Loading,
    defaultErrorComponent: RouteFailure,
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    parseSearch,
    stringifySearch,
  })
}

/** Search parameters as plain text, and not as JSON: people read addresses. */
const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))

function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

/** Milliseconds between two checks whether Galley answers again. */
const POLL_MS = 5_000

/**
 * A view that cannot be shown. When its files could not be loaded because nobody answered, the page reloads as soon as somebody does: a
 * browser does not load a failed style sheet again.
 */
function RouteFailure({ error }: ErrorComponentProps) {
  const router = useRouter()
  const away = error instanceof UnreachableError
  const look = useCallback(
    () =>
      void readSession().then(
        () => location.reload(),
        () => undefined,
      ),
    [],
  )
  useEffect(() => {
    if (!away) return
    const timer = setInterval(look, POLL_MS)
    addEventListener('online', look)
    return () => {
      clearInterval(timer)
      removeEventListener('online', look)
    }
  }, [away, look])
  return <Failure error={error} onAgain={away ? look : () => void router.invalidate()} />
}

/**
 * Loads a page's chunk. When that fails, it checks whether Galley answers: the router reloads the page for a missing chunk (an older
 * build), and without an answer the reload would leave a blank page.
 */
const loadPage =
  <File,>(load: () => Promise<File>) =>
  (): Promise<File> =>
    load().catch(async (error: unknown) => {
      await readSession().catch((why: unknown) => {
        if (why instanceof UnreachableError) throw why
      })
      throw error
    })
