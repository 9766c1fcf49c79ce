import { Link } from '@tanstack/react-router'
import { __ } from '@wordpress/i18n'
import { Message } from './message.tsx'

/** The address leads nowhere, or what was there is gone. */
export const NotFound = () => (
  <Message
    title={__('There is nothing here', 'galley')}
    heading="h1"
    actions={
      <Link className="g-button" to="/">
        {__('Go to the start', 'galley')}
      </Link>
    }
  >
    <p>{__('The address may be mistyped, or what was here has been removed.', 'galley')}</p>
  </Message>
)
