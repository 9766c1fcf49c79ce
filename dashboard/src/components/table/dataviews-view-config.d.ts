// How a table looks, which `@wordpress/dataviews` keeps for itself: dashboard/vite.config.ts says where it lies.
declare module '@wordpress/dataviews/view-config' {
  import type { ComponentType } from 'react'

  export const DataviewsViewConfigDropdown: ComponentType
  export const ViewTypeMenu: ComponentType
}
