import type { View } from '../../app/views.ts'
import { bulkListQuery, bulkQuery } from '../../data/bulk.ts'

/** Bulk jobs; the lists of deliveries and sites lead here. */
export default {
  right: 'deliveries.read',
  within: '/deliveries',
  routes: {
    '/bulk': { page: () => import('./list.tsx'), queries: ({ search }) => [bulkListQuery(search.cursor)] },
    '/bulk/$id': { page: () => import('./one.tsx'), queries: ({ params }) => [bulkQuery(params.id ?? '')] },
  },
} satisfies View
