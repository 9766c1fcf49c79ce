import type { Outbound } from '../../outbound/index.ts'
import { createClient } from '../client/index.ts'
import type { SiteConnection } from '../types.ts'
import { askIndex } from './index-route.ts'
import type { Located } from './root.ts'

export type GivenCredentials = Pick<SiteConnection, 'username' | 'applicationPassword'>

/** The REST root at an address, as whoever signs in sees it; `null` where there is none for them either. */
export async function lookSignedIn(
  outbound: Outbound,
  restRoot: string,
  credentials: GivenCredentials,
): Promise<Located | null> {
  const index = await askIndex(
    createClient({ name: new URL(restRoot).host, restRoot, ...credentials }, outbound),
  )
  return index?.namespaces.includes('wp/v2') ? { restRoot, index } : null
}
