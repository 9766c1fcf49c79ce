import { __ } from '@wordpress/i18n'
import { globe } from '@wordpress/icons'
import type { View } from '../../app/views.ts'
import { siteQuery } from '../../data/sites.ts'
import { listQueryAt } from './list-query.ts'

/** The connected WordPress sites. Mails link to /sites/{uuid}. */
export default {
  right: 'sites.read',
  navigation: { order: 20, label: () => __('Sites', 'galley'), icon: globe, to: '/sites' },
  routes: {
    '/sites': { page: () => import('./list.tsx'), queries: ({ search }) => [listQueryAt(search)] },
    '/sites/import': { page: () => import('./import/begin.tsx') },
    '/sites/import/$id': { page: () => import('./import/progress.tsx') },
    '/sites/$id': { page: () => import('./one.tsx'), queries: ({ params }) => [siteQuery(params.id ?? '')] },
  },
} satisfies View
