import { __, sprintf } from '@wordpress/i18n'
import { useSession } from '../../app/session-context.ts'
import { roleInWords } from '../roles.ts'
import { Message } from './message.tsx'

/** Who is signed in is not allowed to see this. */
export function NoRight() {
  const { role, limited } = useSession()
  return (
    <Message title={__('You are not allowed to see this', 'galley')}>
      <p>
        {limited
          ? __('Your API key is limited to some sites, and this is about the whole account.', 'galley')
          : sprintf(
              // translators: %s: a role, such as Editor
              __(
                'Your API key has the role “%s”. Ask whoever gave it to you for one with another role.',
                'galley',
              ),
              roleInWords(role),
            )}
      </p>
    </Message>
  )
}
