import { __ } from '@wordpress/i18n'

/** What has been read of a long list has nothing of what is looked for, and the rest is read. */
export const LookingFurther = () => (
  <p className="g-weak" role="status">
    {__('Nothing found yet. Looking further…', 'galley')}
  </p>
)
