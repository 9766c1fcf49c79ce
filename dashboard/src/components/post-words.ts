import { __ } from '@wordpress/i18n'

/** The statuses of a post, those first that wait for somebody. */
export const postStatuses: Readonly<Record<string, () => string>> = {
  draft: () => __('Draft', 'galley'),
  pending: () => __('Pending review', 'galley'),
  publish: () => __('Published', 'galley'),
  future: () => __('Scheduled', 'galley'),
  private: () => __('Private', 'galley'),
  trash: () => __('In the trash', 'galley'),
  deleted: () => __('Deleted', 'galley'),
}

/** A post status of WordPress; one of a plugin has no translation. */
export const postStatusInWords = (status: string): string => postStatuses[status]?.() ?? status

const types: Readonly<Record<string, () => string>> = {
  posts: () => __('Posts', 'galley'),
  pages: () => __('Pages', 'galley'),
}

/** A post type, by its name in WordPress's REST API. */
export const postTypeInWords = (type: string): string => types[type]?.() ?? type
