// The menu of a row that `@wordpress/dataviews` keeps for itself: dashboard/vite.config.ts says where it lies.
declare module '@wordpress/dataviews/item-actions' {
  import type { Action } from '@wordpress/dataviews'
  import type { ComponentType } from 'react'

  export interface ItemActionsProps {
    item: object
    actions: Action<object>[]
    isCompact?: boolean
  }
  const ItemActions: ComponentType<ItemActionsProps>
  export default ItemActions
  export const ActionModal: unknown
  export const ActionsMenuGroup: unknown
  export const PrimaryActions: unknown
}
