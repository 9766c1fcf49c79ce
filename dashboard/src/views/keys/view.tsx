import { __ } from '@wordpress/i18n'
import { key } from '@wordpress/icons'
import type { View } from '../../app/views.ts'
import { keysQuery } from '../../data/accounts.ts'

/** API keys of people and programs. */
export default {
  right: 'keys.manage',
  navigation: { order: 60, label: () => __('Keys', 'galley'), icon: key, to: '/keys' },
  routes: {
    '/keys': {
      page: () => import('./list.tsx'),
      queries: ({ search }) => [keysQuery({ cursor: search.cursor })],
    },
  },
} satisfies View
