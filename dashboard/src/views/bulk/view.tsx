import type { View } from '../../app/views.ts'
import { bulkListQuery, bulkQuery } from '../../data/bulk.ts'

/** What was done to many deliveries or sites at once; one gets there from their lists. */
export default {
  right: 'deliveries.read',
  routes: {
    '/bulk': { page: () => import('./list.tsx'), queries: () => [bulkListQuery()] },
    '/bulk/$id': { page: () => import('./one.tsx'), queries: ({ params }) => [bulkQuery(params.id ?? '')] },
  },
} satisfies View
