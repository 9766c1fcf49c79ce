// The header of a column that `@wordpress/dataviews` keeps for itself: dashboard/vite.config.ts says where it lies.
declare module '@wordpress/dataviews/column-header-menu' {
  import type { Field, View } from '@wordpress/dataviews'
  import type { ForwardRefExoticComponent, ReactNode, RefAttributes } from 'react'

  export interface ColumnHeaderProps {
    fieldId: string
    view: View
    fields: (Pick<Field<object>, 'id' | 'enableSorting' | 'enableHiding'> & { header: ReactNode })[]
    onChangeView(view: View): void
    onHide(field: Field<object>): void
    setOpenedFilter(field: string): void
    canMove?: boolean
    canInsertLeft?: boolean
    canInsertRight?: boolean
  }
  const ColumnHeaderMenu: ForwardRefExoticComponent<ColumnHeaderProps & RefAttributes<HTMLButtonElement>>
  export default ColumnHeaderMenu
}
