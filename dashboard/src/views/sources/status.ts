import { __ } from '@wordpress/i18n'

/** What a document may become on a site at most; "" is what it asks for. */
export const highestStatuses = (): Record<string, string> => ({
  '': __('As the document asks', 'galley'),
  pending: __('Pending review at most', 'galley'),
  draft: __('Drafts only', 'galley'),
})
