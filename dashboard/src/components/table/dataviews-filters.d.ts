// The filters that `@wordpress/dataviews` keeps for itself: dashboard/vite.config.ts says where they lie.
declare module '@wordpress/dataviews/filters' {
  import type { ComponentType } from 'react'

  const Filters: ComponentType<{ className?: string }>
  export default Filters
}
