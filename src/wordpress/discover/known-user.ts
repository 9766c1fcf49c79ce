import { GalleyError } from '../../errors.ts'
import { UNCACHED_HEADERS, uncached, type WordPressClient } from '../client/index.ts'
import { aboveRoot } from './home.ts'

const TIMEOUT_MS = 15_000

/** Of a name that WordPress writes in an address as it is. */
const PLAIN = /^[a-z0-9_-]{1,50}$/i

/**
 * Whether the site shows a user by this name to visitors: WordPress has a page for each, with or without posts. Null
 * where that cannot be told, as of an e-mail address, or where the page is closed.
 */
export async function showsUser({ outbound, site }: WordPressClient): Promise<boolean | null> {
  if (!PLAIN.test(site.username)) return null
  const page = new URL(aboveRoot(site.restRoot))
  page.searchParams.set('author_name', site.username.toLowerCase())
  try {
    const { status } = await outbound.request(uncached(page.href), {
      headers: UNCACHED_HEADERS,
      redirects: 'follow',
      timeoutMs: TIMEOUT_MS,
    })
    return status === 200 ? true : status === 404 ? false : null
  } catch (error) {
    if (error instanceof GalleyError) return null
    throw error
  }
}
