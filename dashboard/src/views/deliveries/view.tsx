import { __ } from '@wordpress/i18n'
import { listView } from '@wordpress/icons'
import type { View } from '../../app/views.ts'
import { deliveryQuery } from '../../data/deliveries.ts'
import { askedAt } from './asked.ts'

/** What happened to each document on each site. Mails link to /deliveries/{uuid}. */
export default {
  right: 'deliveries.read',
  navigation: { order: 30, label: () => __('Deliveries', 'galley'), icon: listView, to: '/deliveries' },
  routes: {
    '/deliveries': { page: () => import('./list.tsx'), queries: ({ search }) => [askedAt(search)] },
    '/deliveries/$id': {
      page: () => import('./one.tsx'),
      queries: ({ params }) => [deliveryQuery(params.id ?? '')],
    },
  },
} satisfies View
