import { __ } from '@wordpress/i18n'
import { page } from '@wordpress/icons'
import type { View } from '../../app/views.ts'
import { accountQuery } from '../../data/accounts.ts'
import { jobQuery } from '../../data/jobs.ts'
import { listQueryAt } from './list-query.ts'

/** Documents, audio and images that Galley generates. */
export default {
  right: 'jobs.list',
  navigation: { order: 36, label: () => __('Documents', 'galley'), icon: page, to: '/documents' },
  routes: {
    '/documents': {
      page: () => import('./list.tsx'),
      queries: ({ search }) => [listQueryAt(search), accountQuery()],
    },
    '/documents/new': { page: () => import('./new-document.tsx') },
    '/documents/new-audio': { page: () => import('./new-audio.tsx') },
    '/documents/new-image': { page: () => import('./new-image.tsx') },
    '/documents/$id': {
      page: () => import('./one.tsx'),
      queries: ({ params }) => [jobQuery(params.id ?? '')],
    },
  },
} satisfies View
