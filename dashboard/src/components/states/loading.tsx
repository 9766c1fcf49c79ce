import { __ } from '@wordpress/i18n'

/** Nothing for a moment, then a sign of life. */
export const Loading = () => (
  <div className="waiting" role="status">
    <span className="hidden-text">{__('Loading…', 'galley')}</span>
  </div>
)
