import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouterHistory,
} from '@tanstack/react-router'
import { Loading } from '../components/states/loading.tsx'
import { NoRight } from '../components/states/no-right.tsx'
import { NotFound } from '../components/states/not-found.tsx'
import type { Right, Session } from '../session/session.ts'
import { Frame } from './frame.tsx'
import { fileOf, RouteFailure } from './route-failure.tsx'
import { type Address, type View, type ViewRoute, views } from './views.ts'

interface Making {
  queryClient: QueryClient
  session: Session
  history?: RouterHistory
}

/** Routes of all views: each is a chunk of its own, and what it asks is asked while that is loaded. */
export function makeRouter({ queryClient, session, history }: Making) {
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
      component: allowed ? lazyRouteComponent(fileOf(page)) : () => <NoRight />,
      loaderDeps: ({ search }) => ({ search }),
      loader: ({ params, deps }) => {
        if (!allowed) return
        const address: Address = { params, search: deps.search as Record<string, string>, may }
        // Not waited for: the page shows that it is loading, and what fails.
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

/** The search of an address as plain text: what is in it is for people to read, and no JSON. */
const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))

function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}
