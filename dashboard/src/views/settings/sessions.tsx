import { __, sprintf } from '@wordpress/i18n'
import { useNotice } from '../../app/notices.tsx'
import { useSession } from '../../app/session-context.ts'
import { useSignOut } from '../../app/sign-out-context.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { roleInWords } from '../../components/roles.ts'
import { wordsFor } from '../../components/states/failure.tsx'
import { Time } from '../../components/time.tsx'

/** Who is signed in, until when, and the way out of all browsers. */
export function Sessions() {
  const { key, role, session } = useSession()
  const signOut = useSignOut()
  const notice = useNotice()
  const leave = () => signOut(true).catch((error) => notice({ text: wordsFor(error).text, tone: 'bad' }))
  return (
    <section className="g-card g-section g-settings">
      <h2>{__('Signed in', 'galley')}</h2>
      <p>
        {sprintf(
          // translators: 1: name of an API key, 2: its last four characters, 3: its role, such as Owner
          __('Signed in with “%1$s” (…%2$s), role %3$s', 'galley'),
          key.name,
          key.last_four,
          roleInWords(role),
        )}
      </p>
      {session && (
        <p className="g-weak">
          {__('Since', 'galley')} <Time at={session.since} exact /> · {__('Until', 'galley')}{' '}
          <Time at={session.until} exact />
        </p>
      )}
      <div>
        <ConfirmButton
          label={__('Sign out everywhere', 'galley')}
          of={key.name}
          question={__('In every browser that was signed in with this key, here too.', 'galley')}
          onConfirm={() => void leave()}
        />
      </div>
    </section>
  )
}
