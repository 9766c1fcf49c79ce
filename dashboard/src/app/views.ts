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

/** A view: a folder of `views` whose `view.ts` exports this as its default. Nothing else is needed to add one. */
export interface View {
  /** Without this right the view is not in the navigation, and its address says so. */
  right: Right
  /** Its line in the navigation; left out for views that are reached from others. */
  navigation?: {
    /** Its position, in steps of ten. */
    order: number
    label: () => string
    icon: ReactElement
    to: string
  }
  /** The line that is current meanwhile, of a view that has none. */
  within?: string
  /** By path, in the router's syntax: `/sites/$id`. */
  routes: Readonly<Record<string, ViewRoute>>
}

/** All views. */
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
