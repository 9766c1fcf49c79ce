import { __ } from '@wordpress/i18n'

/** Nothing at first, then a spinner. */
export const Loading = () => (
  <div className="waiting" role="status">
    <span className="hidden-text">{__('Loading…', 'galley')}</span>
  </div>
)
