import type { View } from '../../app/views.ts'

/** The first run; the start and the list of sites lead here. */
export default {
  right: 'sites.change',
  routes: { '/welcome': { page: () => import('./welcome.tsx') } },
} satisfies View
