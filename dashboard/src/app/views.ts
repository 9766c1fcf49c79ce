import type { FetchQueryOptions } from '@tanstack/react-query'
import type { ComponentType, ReactElement } from 'react'
import type { Right } from '../session/session.ts'

/** What an address has: `$id` of its path, and its search as text. */
export interface Address {
  params: Record<string, string>
  search: Record<string, string>
  may(right: Right): boolean
}

/** One address of a view. */
export interface ViewRoute {
  /** Of what belongs to the address: its own chunk. */
  page: () => Promise<{ default: ComponentType }>
  /** What the page will ask, to be asked while it is being loaded. */
  // biome-ignore lint/suspicious/noExplicitAny: queries of any answer
  queries?: (address: Address) => FetchQueryOptions<any, any, any, any>[]
}

/**
 * A view: a folder of `views` with a `view.ts` that exports this as its default. That is all that is needed to add one.
 */
export interface View {
  /** Who does not have it does not see the view, and is told so at its address. */
  right: Right
  /** Its line in the navigation; left out where one gets there from elsewhere. */
  navigation?: {
    /** Its place: by tens, so that others fit between. */
    order: number
    label: () => string
    icon: ReactElement
    to: string
  }
  /** By path, as the router writes it: `/sites/$id`. */
  routes: Readonly<Record<string, ViewRoute>>
}

/** Every view there is. */
export const views: View[] = Object.values(
  import.meta.glob<View>('../views/*/view.ts*', { import: 'default', eager: true }),
)

/** Loads the files of the view at a path, so that they are there when it is shown. Where that fails it is said then. */
export function loadViewAt(pathname: string): void {
  const parts = pathname.split('/')
  const isAt = (path: string) => {
    const names = path.split('/')
    return names.length === parts.length && names.every((name, at) => name === parts[at] || name[0] === '$')
  }
  const routes = views.flatMap((view) => Object.entries(view.routes))
  const [, route] = routes.find(([path]) => path === pathname) ?? routes.find(([path]) => isAt(path)) ?? []
  route?.page().catch(() => undefined)
}
