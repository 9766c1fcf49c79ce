import { useState } from 'react'
import type { Site } from '../../api/client.ts'
import { type ConnectWay, ConnectWays } from '../../components/connect-ways.tsx'
import { ByLink } from './by-link.tsx'
import { ByPassword } from './by-password.tsx'

type Connected = Pick<Site, 'id' | 'name' | 'url'>

/** Two ways to connect a site; the first needs nothing to be copied. */
export function Connect({ onConnected }: { onConnected(site: Connected): void }) {
  const [way, setWay] = useState<ConnectWay>('link')
  return (
    <>
      <ConnectWays way={way} onChange={setWay} />
      {way === 'link' ? <ByLink onConnected={onConnected} /> : <ByPassword onConnected={onConnected} />}
    </>
  )
}
