import './connect-ways.css'
import { useQuery } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useEffect, useRef } from 'react'
import type { ConnectLink } from '../api/client.ts'
import { linkQuery } from '../data/sites.ts'
import { Secret } from './secret.tsx'
import { wordsFor } from './states/failure.tsx'
import { Loading } from './states/loading.tsx'

interface WaitForOwnerProps {
  id: string
  /** Of the link; undefined where the page was loaded again since it was shown. */
  address: string | undefined
  /** The site is connected: its id. */
  onConnected(siteId: string): void
  /** This link is of no use any more, or not wanted: another one is to be made. */
  onAnew(): void
}

/** What is said while the owner of a site has a link: where it is, what became of it, and what to do next. */
export function WaitForOwner({ id, address, onConnected, onAnew }: WaitForOwnerProps) {
  const { data: link, error } = useQuery(linkQuery(id))
  const siteId = link?.site_id
  const said = useRef(false)
  useEffect(() => {
    if (!siteId || said.current) return
    said.current = true
    onConnected(siteId)
  }, [siteId, onConnected])

  const ended = link ? endInWords(link) : error && wordsFor(error).text
  return (
    <div className="g-form">
      {!ended && <Address address={address} />}
      <div role="status">
        {ended && <p className="g-field-mistake">{ended}</p>}
        {!ended && link && <Obstacles link={link} />}
      </div>
      {ended ? (
        <p>
          <button type="button" className="g-button primary" onClick={onAnew}>
            {__('Create a new link', 'galley')}
          </button>
        </p>
      ) : (
        <>
          <div className="g-waits">
            <Loading />
            <p>{__('Waiting for the approval. This page continues by itself.', 'galley')}</p>
          </div>
          <p>
            <button type="button" className="g-button" onClick={onAnew}>
              {__('Start again', 'galley')}
            </button>
          </p>
        </>
      )}
    </div>
  )
}

/** Why nobody can connect with it any more; undefined where somebody can, or has. */
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

/** What has come of it so far, where that connected nothing. */
function Obstacles({ link: { problem, rejected_at } }: { link: ConnectLink }) {
  return (
    <>
      {problem && (
        <>
          <p className="g-field-mistake">{problem.message}</p>
          <p>{__('When that is put right, open the same link again: it still works.', 'galley')}</p>
        </>
      )}
      {rejected_at && (
        <>
          <p className="g-field-mistake">
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
