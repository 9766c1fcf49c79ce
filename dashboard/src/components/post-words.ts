import { __ } from '@wordpress/i18n'

const statuses: Readonly<Record<string, () => string>> = {
  draft: () => __('Draft', 'galley'),
  pending: () => __('Pending review', 'galley'),
  publish: () => __('Published', 'galley'),
  future: () => __('Scheduled', 'galley'),
  private: () => __('Private', 'galley'),
  trash: () => __('In the trash', 'galley'),
}

/** A status of WordPress's; one that a plugin has made is named as it is. */
export const postStatusInWords = (status: string): string => statuses[status]?.() ?? status

const types: Readonly<Record<string, () => string>> = {
  posts: () => __('Posts', 'galley'),
  pages: () => __('Pages', 'galley'),
}

/** A type of posts, likewise, by the name that WordPress's API has for it. */
export const postTypeInWords = (type: string): string => types[type]?.() ?? type
