import { __ } from '@wordpress/i18n'
import { rss } from '@wordpress/icons'
import type { View } from '../../app/views.ts'
import { sourcesQuery } from '../../data/sources.ts'

/** The sources of documents. */
export default {
  right: 'sources.read',
  navigation: { order: 40, label: () => __('Sources', 'galley'), icon: rss, to: '/sources' },
  routes: {
    '/sources': {
      page: () => import('./list.tsx'),
      queries: ({ search: { cursor, search } }) => [sourcesQuery({ cursor, search })],
    },
  },
} satisfies View
