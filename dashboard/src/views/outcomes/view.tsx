import { __ } from '@wordpress/i18n'
import { megaphone } from '@wordpress/icons'
import type { View } from '../../app/views.ts'
import { notificationQuery, receiversQuery } from '../../data/outcomes.ts'

/** Notifications and their receivers. */
export default {
  right: 'notifications.read',
  navigation: { order: 50, label: () => __('Notifications', 'galley'), icon: megaphone, to: '/outcomes' },
  routes: {
    '/outcomes': { page: () => import('./list.tsx'), queries: () => [receiversQuery()] },
    '/outcomes/$id': {
      page: () => import('./one.tsx'),
      queries: ({ params }) => [notificationQuery(params.id ?? '')],
    },
  },
} satisfies View
