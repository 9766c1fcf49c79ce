import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import type { Site } from '../../api/client.ts'
import { ByLink } from './by-link.tsx'
import { ByPassword } from './by-password.tsx'

type Connected = Pick<Site, 'id' | 'name' | 'url'>

/** Two ways to connect a site; the first needs nothing to be copied. */
export function Connect({ onConnected }: { onConnected(site: Connected): void }) {
  const [way, setWay] = useState<'link' | 'password'>('link')
  return (
    <>
      <fieldset className="g-actions g-ways" aria-label={__('How to connect', 'galley')}>
        <button
          type="button"
          className="g-button"
          aria-pressed={way === 'link'}
          onClick={() => setWay('link')}
        >
          {__('Approve in WordPress', 'galley')}
        </button>
        <button
          type="button"
          className="g-button"
          aria-pressed={way === 'password'}
          onClick={() => setWay('password')}
        >
          {__('With an application password', 'galley')}
        </button>
      </fieldset>
      {way === 'link' ? <ByLink onConnected={onConnected} /> : <ByPassword onConnected={onConnected} />}
    </>
  )
}
