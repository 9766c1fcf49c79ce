import { __ } from '@wordpress/i18n'
import { home } from '@wordpress/icons'
import type { View } from '../../app/views.ts'
import { startQueries } from './queries.ts'

/** The start: what needs a person, and what was delivered. */
export default {
  right: 'session',
  navigation: { order: 10, label: () => __('Start', 'galley'), icon: home, to: '/' },
  routes: {
    '/': {
      page: () => import('./start.tsx'),
      queries: ({ may, search }) => (may('deliveries.read') ? startQueries(search) : []),
    },
  },
} satisfies View
