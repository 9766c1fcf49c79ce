import { __ } from '@wordpress/i18n'
import { people } from '@wordpress/icons'
import type { View } from '../../app/views.ts'

/** The accounts of this Galley, for its operator. Their contents are visible to their own keys only. */
export default {
  right: 'accounts.manage',
  navigation: { order: 80, label: () => __('Accounts', 'galley'), icon: people, to: '/accounts' },
  routes: { '/accounts': { page: () => import('./list.tsx') } },
} satisfies View
