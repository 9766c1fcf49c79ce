import { __ } from '@wordpress/i18n'
import { pencil } from '@wordpress/icons'
import type { View } from '../../app/views.ts'

/** New posts, and previews of documents. They need the right to see sites, to choose from them. */
export default {
  right: 'sites.read',
  navigation: { order: 35, label: () => __('New post', 'galley'), icon: pencil, to: '/preview' },
  routes: { '/preview': { page: () => import('./preview.tsx') } },
} satisfies View
