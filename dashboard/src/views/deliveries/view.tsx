import { __ } from '@wordpress/i18n'
import { listView } from '@wordpress/icons'
import type { View } from '../../app/views.ts'
import { deliveryQuery } from '../../data/deliveries.ts'
import { listQueryAt } from './list-query.ts'

/** Deliveries. Mails link to /deliveries/{uuid}. */
export default {
  right: 'deliveries.read',
  navigation: { order: 30, label: () => __('Deliveries', 'galley'), icon: listView, to: '/deliveries' },
  routes: {
    '/deliveries': {
      page: () => import('./list.tsx'),
      queries: ({ search }) => [listQueryAt(search)],
    },
    '/deliveries/$id': {
      page: () => import('./one.tsx'),
      queries: ({ params }) => [deliveryQuery(params.id ?? '')],
    },
  },
} satisfies View
