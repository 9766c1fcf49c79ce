// What `@wordpress/dataviews` keeps for itself: dashboard/vite.config.ts says where it lies.
declare module '@wordpress/dataviews/table-layout' {
  import type { Action, Field, View } from '@wordpress/dataviews'
  import type { ComponentType, ReactNode } from 'react'

  export interface TableLayoutProps {
    data: { id: string }[]
    fields: Field<object>[]
    actions: Action<object>[]
    view: View
    onChangeView(view: View): void
    selection: string[]
    onChangeSelection(ids: string[]): void
    isLoading?: boolean
    empty?: ReactNode
  }
  const ViewTable: ComponentType<TableLayoutProps>
  export default ViewTable
}

declare module '@wordpress/dataviews/context' {
  import type { Field, View } from '@wordpress/dataviews'
  import type { Context } from 'react'

  const DataViewsContext: Context<{
    view: View
    fields: Field<object>[]
    openedFilter: string | null
    onChangeView(view: View): void
    onChangeSelection(ids: string[]): void
  }>
  export default DataViewsContext
}
