import { useMutation } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import {
  type ConnectWay,
  ConnectWays,
  PasswordForm,
  SiteAddress,
  WaitForOwner,
} from '../../components/connect-link.tsx'
import { Form } from '../../components/form.tsx'

interface ConnectProps {
  /** The link that is waited for, if any. */
  link: string | undefined
  /** The id of the site to connect; undefined for a new one. */
  id: string | undefined
  /** Waits for another link, or for none. */
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
        <PasswordForm
          connect={async (given) =>
            onConnected((await call('connectSite', { body: { id, ...given } })).data.id)
          }
        />
      )}
    </>
  )
}

/** Connects by WordPress's approval page in another window, and waits here. No password is typed. */
function ByLink({ id, link, onLink, onConnected }: ConnectProps) {
  const [url, setUrl] = useState('')
  const make = useMutation({
    mutationFn: async () => (await call('createConnectLink', { body: { id, url: url.trim() } })).data,
    onSuccess: (made) => onLink(made.id),
  })

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
    <Form
      submit={make.isPending ? __('Looking for WordPress…', 'galley') : __('Continue', 'galley')}
      mutation={make}
      incomplete={url.trim() === ''}
    >
      <SiteAddress
        help={__('As you know it: example.com, or the address of any post on it.', 'galley')}
        guide="api.md#connecting-a-site"
        value={url}
        onChange={setUrl}
      />
    </Form>
  )
}
