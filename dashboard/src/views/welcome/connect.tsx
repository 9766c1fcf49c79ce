import { useMutation } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import { type ConnectWay, ConnectWays, WaitForOwner } from '../../components/connect-link.tsx'
import { Field } from '../../components/form.tsx'
import { describeError } from '../../components/states.tsx'

interface ConnectProps {
  /** The link that is waited for, if any. */
  link: string | undefined
  /** The id of the site to connect; undefined for a new one. */
  id: string | undefined
  onLink(id: string | undefined): void
  onConnected(siteId: string): void
}

/** The two ways to connect a site. */
export function Connect({ id, link, onLink, onConnected }: ConnectProps) {
  const [way, setWay] = useState<ConnectWay>('link')
  return (
    <>
      <ConnectWays way={way} onChange={setWay} />
      {way === 'link' ? (
        <ByLink id={id} link={link} onLink={onLink} onConnected={onConnected} />
      ) : (
        <ByPassword id={id} onConnected={onConnected} />
      )}
    </>
  )
}

interface ByLinkProps {
  /** The id of the site to connect; undefined for a new one. */
  id: string | undefined
  /** The link that is waited for, if any. */
  link: string | undefined
  /** Waits for another link, or for none. */
  onLink(id: string | undefined): void
  onConnected(siteId: string): void
}

/** Connects by WordPress's approval page in another window, and waits here. No password is typed. */
function ByLink({ id, link, onLink, onConnected }: ByLinkProps) {
  const [url, setUrl] = useState('')
  const make = useMutation({
    mutationFn: async () => (await call('createConnectLink', { body: { id, url: url.trim() } })).data,
    onSuccess: (made) => onLink(made.id),
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    make.mutate()
  }

  if (link !== undefined)
    return (
      <WaitForOwner
        id={link}
        address={make.data?.id === link ? make.data.link : undefined}
        onConnected={onConnected}
        onAnew={() => onLink(undefined)}
      />
    )
  return (
    <form className="g-form" onSubmit={submit} noValidate>
      <Field
        label={__('Address of the site', 'galley')}
        help={__('As you know it: example.com, or the address of any post on it.', 'galley')}
        guide="api.md#connecting-a-site"
        value={url}
        onChange={setUrl}
        inputMode="url"
        autoComplete="url"
        dir="ltr"
        placeholder="example.com"
        failure={make.error}
        path="body.url"
      />
      {make.error && (
        <p className="g-field-error" role="alert">
          {describeError(make.error).text}
        </p>
      )}
      <div>
        <button type="submit" className="g-button primary" disabled={make.isPending || url.trim() === ''}>
          {make.isPending ? __('Looking for WordPress…', 'galley') : __('Continue', 'galley')}
        </button>
      </div>
    </form>
  )
}

interface ByPasswordProps {
  /** The id of the site to connect; undefined for a new one. */
  id: string | undefined
  onConnected(siteId: string): void
}

/** Connects by an application password from WordPress. */
function ByPassword({ id, onConnected }: ByPasswordProps) {
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
        guide="wordpress.md#signing-in-and-finding-the-rest-api"
        value={password}
        onChange={setPassword}
        type="password"
        autoComplete="off"
        failure={failure}
        path="body.application_password"
      />
      {failure && (
        <p className="g-field-error" role="alert">
          {describeError(failure).text}
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
