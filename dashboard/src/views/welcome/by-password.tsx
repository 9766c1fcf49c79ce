import { useMutation } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import { Field } from '../../components/field.tsx'
import { wordsFor } from '../../components/states/failure.tsx'

interface ByPasswordProps {
  /** Of the site that is to be connected; a new one where left out. */
  id: string | undefined
  onConnected(siteId: string): void
}

/** With an application password that somebody has made in WordPress. */
export function ByPassword({ id, onConnected }: ByPasswordProps) {
  const [url, setUrl] = useState('')
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const connect = useMutation({
    mutationFn: async () =>
      (
        await call('connectSite', {
          body: { id, url: url.trim(), username: username.trim(), application_password: password },
        })
      ).data,
    onSuccess: (site) => onConnected(site.id),
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    connect.mutate()
  }

  const failure = connect.error
  return (
    <form className="g-form" onSubmit={submit} noValidate>
      <Field
        label={__('Address of the site', 'galley')}
        value={url}
        onChange={setUrl}
        inputMode="url"
        autoComplete="url"
        dir="ltr"
        placeholder="example.com"
        failure={failure}
        path="body.url"
      />
      <Field
        label={__('User name in WordPress', 'galley')}
        value={username}
        onChange={setUsername}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        failure={failure}
        path="body.username"
      />
      <Field
        label={__('Application password', 'galley')}
        help={__('Create it in WordPress, under Users → Profile → Application Passwords.', 'galley')}
        value={password}
        onChange={setPassword}
        type="password"
        autoComplete="off"
        failure={failure}
        path="body.application_password"
      />
      {failure && (
        <p className="g-field-mistake" role="alert">
          {wordsFor(failure).text}
        </p>
      )}
      <div>
        <button
          type="submit"
          className="g-button primary"
          disabled={connect.isPending || [url, username, password].some((text) => text.trim() === '')}
        >
          {connect.isPending ? __('Connecting…', 'galley') : __('Connect', 'galley')}
        </button>
      </div>
    </form>
  )
}
