import { sameHost } from '../../discover/home.ts'
import { ok, warning } from '../finding.ts'
import type { Finding } from '../types.ts'

/** Whether the site calls itself by the address that it is reached at; `null` where it does not say. */
export function checkAddress(restRoot: string, home: string): Finding | null {
  if (home === '') return null
  if (sameHost(home, restRoot))
    return ok('address', `The site calls itself ${home}.`, 'Links to its posts lead to where it is reached.')
  return warning(
    'address',
    `The site calls itself ${home}, but is reached at ${new URL(restRoot).origin}.`,
    `Galley keeps using the address at which it reaches the site; links to its posts lead to ${new URL(home).host}.`,
    'If both are yours, all is well. If not, somebody else may answer at this address: check it, and Settings → General in WordPress.',
  )
}
