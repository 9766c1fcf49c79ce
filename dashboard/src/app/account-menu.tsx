import { __, sprintf } from '@wordpress/i18n'
import { useId, useState } from 'react'
import { Button } from '../components/button.tsx'
import { Popover } from '../components/popover.tsx'
import { roleInWords } from '../components/roles.ts'
import { describeError } from '../components/states.tsx'
import { chooseLanguage, currentLanguage, languages } from '../i18n.ts'
import { useNotice } from './notices.tsx'
import { chooseScheme, currentScheme, type Scheme, schemes } from './scheme.ts'
import { useSession, useSignOut } from './session-context.ts'

/** Who is signed in, how to sign out, and the preferences of this browser: language and colours. */
export function Account() {
  const { account, key, role } = useSession()
  return (
    <Popover
      className="g-account-button"
      panelClassName="g-account-panel"
      button={
        <>
          <span className="hidden-text">{__('Account:', 'galley')}</span>
          <span className="g-account-name">{account.name}</span>
          <span aria-hidden="true">▾</span>
        </>
      }
    >
      <p className="g-weak">
        {sprintf(
          // translators: 1: name of an API key, 2: its last four characters, 3: its role, such as Owner
          __('Signed in with “%1$s” (…%2$s), role %3$s', 'galley'),
          key.name,
          key.last_four,
          roleInWords(role),
        )}
      </p>
      <Preferences />
      <SignOut />
    </Popover>
  )
}

function Preferences() {
  const [scheme, setScheme] = useState(currentScheme)
  const [schemeId, languageId] = [useId(), useId()]
  const names: Record<Scheme, string> = {
    auto: __('System', 'galley'),
    light: __('Light', 'galley'),
    dark: __('Dark', 'galley'),
  }
  return (
    <>
      <label className="g-preference" htmlFor={schemeId}>
        {__('Colours', 'galley')}
        <select
          id={schemeId}
          value={scheme}
          onChange={({ target }) => {
            chooseScheme(target.value as Scheme)
            setScheme(target.value as Scheme)
          }}
        >
          {schemes.map((name) => (
            <option key={name} value={name}>
              {names[name]}
            </option>
          ))}
        </select>
      </label>
      <label className="g-preference" htmlFor={languageId}>
        {__('Language', 'galley')}
        <select
          id={languageId}
          value={currentLanguage()}
          onChange={({ target }) => chooseLanguage(target.value)}
        >
          {languages.map((code) => (
            <option key={code} value={code} lang={code}>
              {new Intl.DisplayNames(code, { type: 'language' }).of(code)}
            </option>
          ))}
        </select>
      </label>
    </>
  )
}

function SignOut() {
  const signOut = useSignOut()
  const notice = useNotice()
  const leave = (everywhere: boolean) =>
    signOut(everywhere).catch((error) => notice({ text: describeError(error).text, tone: 'bad' }))
  return (
    <div className="g-account-actions">
      <Button onClick={() => void leave(false)}>{__('Sign out', 'galley')}</Button>
      <button type="button" className="g-link" onClick={() => void leave(true)}>
        {__('Sign out everywhere', 'galley')}
      </button>
    </div>
  )
}
