import { useState } from 'react'
import { type ConnectWay, ConnectWays } from '../../components/connect-ways.tsx'
import { ByLink } from './by-link.tsx'
import { ByPassword } from './by-password.tsx'

interface ConnectProps {
  /** The link that is waited for, where there is one. */
  link: string | undefined
  /** Of the site that is to be connected; a new one where left out. */
  id: string | undefined
  onLink(id: string | undefined): void
  onConnected(siteId: string): void
}

/** Two ways to connect a site; the first needs nothing to be copied. */
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
