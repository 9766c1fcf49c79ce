import { __ } from '@wordpress/i18n'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { UnreachableError } from '../../../src/client/calls.ts'
import icon from '../icon.svg'
import { type Session, signIn } from './session.ts'

interface SignInProps {
  /** A session ended while the page was in use. */
  ended: boolean
  /** Galley's reason, if any. */
  said: string | undefined
  onSignedIn(session: Session): void
}

/** The sign-in form. It loads no components: React and a few hundred bytes. */
export function SignIn({ ended, said, onSignedIn }: SignInProps) {
  const [key, setKey] = useState('')
  const [shown, setShown] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  const [fieldId, helpId, failureId] = [useId(), useId(), useId()]

  useEffect(() => {
    document.title = `${__('Sign in', 'galley')} · Galley`
    field.current?.focus()
  }, [])

  async function submit(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    setFailure(undefined)
    try {
      onSignedIn(await signIn(key.trim()))
    } catch (error) {
      setFailure(error instanceof UnreachableError ? noAnswer() : (error as Error).message)
      setBusy(false)
      field.current?.focus()
    }
  }

  return (
    <main className="sign-in">
      <form className="sign-in-card" onSubmit={submit} noValidate>
        <p className="sign-in-mark" aria-hidden="true">
          <img src={icon} alt="" width="26" height="26" />
          Galley
        </p>
        <h1>{__('Sign in', 'galley')}</h1>
        {(ended || said) && (
          <p className="sign-in-note" role="status">
            {said ?? __('Your session has ended. Sign in again, and you are back where you were.', 'galley')}
          </p>
        )}
        <label htmlFor={fieldId}>{__('API key', 'galley')}</label>
        <div className="sign-in-field">
          <input
            ref={field}
            id={fieldId}
            type={shown ? 'text' : 'password'}
            value={key}
            onChange={({ target }) => setKey(target.value)}
            autoComplete="current-password"
            autoCapitalize="none"
            spellCheck={false}
            dir="ltr"
            placeholder="gly_sk_…"
            required
            aria-describedby={failure === undefined ? helpId : `${failureId} ${helpId}`}
            aria-invalid={failure !== undefined}
          />
          <button
            type="button"
            className="sign-in-show"
            aria-pressed={shown}
            onClick={() => setShown(!shown)}
          >
            {shown ? __('Hide', 'galley') : __('Show', 'galley')}
          </button>
        </div>
        <p id={failureId} className="sign-in-failure" role="alert">
          {failure}
        </p>
        <button type="submit" className="sign-in-button" disabled={busy || key.trim() === ''}>
          {busy ? __('Signing in…', 'galley') : __('Sign in', 'galley')}
        </button>
        <p id={helpId} className="sign-in-help">
          {__(
            'Galley shows the first key when it is started for the first time. Whoever runs it can create another with:',
            'galley',
          )}
          <code dir="ltr">galley --new-key</code>
          {__('or, where it runs from a clone:', 'galley')}
          <code dir="ltr">npm start -- --new-key</code>
        </p>
      </form>
    </main>
  )
}

const noAnswer = () => __('Galley does not answer. Check whether it is running, and try again.', 'galley')
