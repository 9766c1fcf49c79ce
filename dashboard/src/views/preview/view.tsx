import { __ } from '@wordpress/i18n'
import { seen } from '@wordpress/icons'
import type { View } from '../../app/views.ts'

/** What a document would become, before anything is written. Who previews chooses among sites, so these have to be seen. */
export default {
  right: 'sites.read',
  navigation: { order: 35, label: () => __('Preview', 'galley'), icon: seen, to: '/preview' },
  routes: { '/preview': { page: () => import('./preview.tsx') } },
} satisfies View
