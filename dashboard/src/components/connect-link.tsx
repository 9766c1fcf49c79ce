import './connect-ways.css'
import { useMutation, useQuery } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useEffect, useRef, useState } from 'react'
import type { ConnectLink } from '../api/client.ts'
import { linkQuery } from '../data/sites.ts'
import { Button } from './button.tsx'
import { Field, Form } from './form.tsx'
import { Loading } from './loading.tsx'
import { Secret } from './secret.tsx'
import { describeError } from './states.tsx'

interface WaitForOwnerProps {
  id: string
  /** The link's address; undefined when the page was reloaded since it was shown. */
  address: string | undefined
  /** The site is connected. */
  onConnected(siteId: string): void
  /** The link is unusable or unwanted: create another. */
  onAnew(): void
}

/** What a person sees while the owner of a site has a link: the link, its state, and what to do next. */
export function WaitForOwner({ id, address, onConnected, onAnew }: WaitForOwnerProps) {
  const { data: link, error } = useQuery(linkQuery(id))
  const siteId = link?.site_id
  const said = useRef(false)
  useEffect(() => {
    if (!siteId || said.current) return
    said.current = true
    onConnected(siteId)
  }, [siteId, onConnected])

  const ended = link ? endInWords(link) : error && describeError(error).text
  return (
    <div className="g-form">
      {!ended && <Address address={address} />}
      <div role="status">
        {ended && <p className="g-field-error">{ended}</p>}
        {!ended && link && <Obstacles link={link} />}
      </div>
      {ended ? (
        <p>
          <Button primary onClick={onAnew}>
            {__('Create a new link', 'galley')}
          </Button>
        </p>
      ) : (
        <>
          <div className="g-waits">
            <Loading />
            <p>{__('Waiting for the approval. This page continues by itself.', 'galley')}</p>
          </div>
          <p>
            <Button onClick={onAnew}>{__('Start again', 'galley')}</Button>
          </p>
        </>
      )}
    </div>
  )
}

/** Why nobody can connect with the link any more; undefined while it works. */
function endInWords({ status }: ConnectLink): string | undefined {
  if (status === 'revoked')
    return __('This link was withdrawn, and nobody can connect with it any more. Create a new one.', 'galley')
  if (status === 'expired')
    return __(
      'This link has expired, and nobody can connect with it any more. Create a new one, and open it before it ends.',
      'galley',
    )
  return undefined
}

/** What went wrong so far; the link still works. */
function Obstacles({ link: { problem, rejected_at } }: { link: ConnectLink }) {
  return (
    <>
      {problem && (
        <>
          <p className="g-field-error">{problem.message}</p>
          <p>{__('When that is put right, open the same link again: it still works.', 'galley')}</p>
        </>
      )}
      {rejected_at && (
        <>
          <p className="g-field-error">
            {__(
              'The request was declined in WordPress, or WordPress offers no application passwords to the user who was logged in there. Nothing was connected.',
              'galley',
            )}
          </p>
          <p>
            {__(
              'The link still works: open it again to approve after all, or as another user. Or connect the site with an application password.',
              'galley',
            )}
          </p>
        </>
      )}
    </>
  )
}

function Address({ address }: Pick<WaitForOwnerProps, 'address'>) {
  if (address === undefined)
    return (
      <p>
        {__(
          'The link was shown only once, and works for whoever has it. If nobody has, start again with a new one.',
          'galley',
        )}
      </p>
    )
  return (
    <>
      <p>
        {/* The page is Galley's own, under whichever name this one was opened. */}
        <a className="g-button primary" href={new URL(address).pathname} target="_blank" rel="noopener">
          {__('Open the approval page', 'galley')}
        </a>
      </p>
      <p className="g-weak">{__('Or send this link to the owner of the site; it works once:', 'galley')}</p>
      <Secret value={address} label={__('Link for the owner', 'galley')} />
    </>
  )
}

/** By WordPress's own approval page, without copying anything, or by an application password. */
export type ConnectWay = 'link' | 'password'

interface ConnectWaysProps {
  way: ConnectWay
  onChange(way: ConnectWay): void
}

/** The choice of how to connect a site. */
export function ConnectWays({ way, onChange }: ConnectWaysProps) {
  const ways = {
    link: __('Approve in WordPress', 'galley'),
    password: __('With an application password', 'galley'),
  }
  return (
    <fieldset className="g-actions g-ways" aria-label={__('How to connect', 'galley')}>
      {(Object.keys(ways) as ConnectWay[]).map((one) => (
        <Button key={one} aria-pressed={way === one} onClick={() => onChange(one)}>
          {ways[one]}
        </Button>
      ))}
    </fieldset>
  )
}

interface PasswordFormProps {
  /** A site that is connected again; its address may have changed. */
  before?: { url: string; username: string }
  connect(given: { url: string; username: string; application_password: string }): Promise<unknown>
  onError?(): void
  onCancel?(): void
}

/** Connects by an application password from WordPress. */
export function PasswordForm({ before, connect, onError, onCancel }: PasswordFormProps) {
  const [url, setUrl] = useState(before?.url ?? '')
  const [username, setUsername] = useState(before?.username ?? '')
  const [password, setPassword] = useState('')
  const connecting = useMutation({
    mutationFn: () => connect({ url: url.trim(), username: username.trim(), application_password: password }),
    ...(onError && { onError }),
  })
  return (
    <Form
      submit={connecting.isPending ? __('Connecting…', 'galley') : __('Connect', 'galley')}
      mutation={connecting}
      incomplete={[url, username, password].some((text) => text.trim() === '')}
      {...(onCancel && { onCancel })}
    >
      <SiteAddress
        {...(before && { help: __('Change it if the site has moved.', 'galley') })}
        value={url}
        onChange={setUrl}
      />
      <Field
        label={__('User name in WordPress', 'galley')}
        value={username}
        onChange={setUsername}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
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
        path="body.application_password"
      />
    </Form>
  )
}

interface SiteAddressProps {
  value: string
  onChange(value: string): void
  help?: string
  guide?: string
}

/** The field for the address of a site that is to be connected. */
export const SiteAddress = (props: SiteAddressProps) => (
  <Field
    label={__('Address of the site', 'galley')}
    inputMode="url"
    autoComplete="url"
    dir="ltr"
    placeholder="example.com"
    path="body.url"
    {...props}
  />
)
