import { __ } from '@wordpress/i18n'
import { receipt } from '@wordpress/icons'
import type { View } from '../../app/views.ts'

/** The audit log. */
export default {
  right: 'audit.read',
  navigation: { order: 70, label: () => __('Audit log', 'galley'), icon: receipt, to: '/audit' },
  routes: { '/audit': { page: () => import('./list.tsx') } },
} satisfies View
