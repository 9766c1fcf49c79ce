import { sameHost } from './home.ts'
import { candidatesFor } from './typed.ts'

/**
 * Whether a REST root is where somebody meant who typed an address, and gave a password for it: on the same host, with
 * or without `www.`, and never without encryption where https was typed. Redirects, a `Link` header and the site itself
 * may name any other.
 */
export const staysWith = (typed: string, restRoot: string): boolean =>
  candidatesFor(typed).some(
    ({ href, protocol }) => sameHost(href, restRoot) && !(protocol === 'https:' && isPlain(restRoot)),
  )

const isPlain = (address: string): boolean => new URL(address).protocol === 'http:'
