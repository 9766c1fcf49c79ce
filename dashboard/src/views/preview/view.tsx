import { __ } from '@wordpress/i18n'
import { seen } from '@wordpress/icons'
import type { View } from '../../app/views.ts'

/** Previews of documents. They need the right to see sites, to choose from them. */
export default {
  right: 'sites.read',
  navigation: { order: 35, label: () => __('Preview', 'galley'), icon: seen, to: '/preview' },
  routes: { '/preview': { page: () => import('./preview.tsx') } },
} satisfies View
