import { __ } from '@wordpress/i18n'
import { cog } from '@wordpress/icons'
import type { View } from '../../app/views.ts'

/** The account, its sessions, and the preferences of this browser. */
export default {
  right: 'account.read',
  navigation: { order: 90, label: () => __('Settings', 'galley'), icon: cog, to: '/settings' },
  routes: { '/settings': { page: () => import('./settings.tsx') } },
} satisfies View
