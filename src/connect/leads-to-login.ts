import { GalleyError } from '../errors.ts'
import type { Outbound } from '../outbound/index.ts'
import { UNCACHED_HEADERS } from '../wordpress/client/index.ts'
import { sameHost } from '../wordpress/discover/index.ts'
import { readPage, recognise } from '../wordpress/failures/index.ts'

const TIMEOUT_MS = 10_000
const PAGE = {
  headers: UNCACHED_HEADERS,
  redirects: 'follow',
  maxBytes: 256 * 1024,
  overflow: 'cut',
} as const

/**
 * Whether a visitor who opens a page of WordPress's administration is asked to log in, as WordPress does. Plugins that
 * hide the login page (WPS Hide Login) lead to one that does not exist, or to the front page. Another host may have a
 * login of any kind, and one that does not answer says nothing.
 */
export async function leadsToLogin(outbound: Outbound, address: string): Promise<boolean> {
  try {
    const page = await outbound.request(address, { ...PAGE, timeoutMs: TIMEOUT_MS })
    return !sameHost(page.url, address) || page.status >= 500 || recognise(readPage(page)) !== null
  } catch (error) {
    if (error instanceof GalleyError) return true
    throw error
  }
}
