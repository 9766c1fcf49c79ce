import { GalleyError } from '../../errors.ts'
import type { Outbound } from '../../outbound/index.ts'
import { LARGEST_INDEX, UNCACHED_HEADERS, uncached, withoutUncached } from '../client/index.ts'
import { isClosedToVisitors } from './closed.ts'
import { type RestIndex, readIndex } from './index-route.ts'
import { restRootNamedBy } from './link.ts'

export interface Located {
  restRoot: string
  /** Absent where the site shows its REST API to logged-in users alone. */
  index?: RestIndex
}

/**
 * The REST root at an address, after redirects; `null` where something else is there. Plain permalinks answer
 * in every folder, so the root that the answer itself names goes before the one that was tried.
 */
export async function tryRoot(
  outbound: Outbound,
  address: string,
  timeoutMs: number,
): Promise<Located | null> {
  const tried = await look(outbound, address, timeoutMs)
  if (tried?.named === undefined || tried.named === tried.restRoot) return tried
  return (await look(outbound, tried.named, timeoutMs)) ?? tried
}

async function look(
  outbound: Outbound,
  address: string,
  timeoutMs: number,
): Promise<(Located & { named?: string | undefined }) | null> {
  const answer = await outbound
    .request(uncached(address), {
      headers: { Accept: 'application/json', ...UNCACHED_HEADERS },
      redirects: 'follow',
      maxBytes: LARGEST_INDEX,
      timeoutMs,
    })
    .catch((error) => {
      if (error instanceof GalleyError && error.code === 'too_many_redirects') return null
      throw error
    })
  if (answer === null) return null
  const { url, status, body } = answer
  const restRoot = rootAt(url)
  const index = status === 200 ? readIndex(body) : null
  if (index) return { restRoot, index, named: restRootNamedBy(answer) }
  return isClosedToVisitors(answer) ? { restRoot } : null
}

/** Where redirects end may carry more than the root, as a language does: routes would come to stand behind that. */
function rootAt(url: string): string {
  const root = new URL(withoutUncached(url))
  if (!root.searchParams.has('rest_route')) root.search = ''
  return root.href.endsWith('/') ? root.href : `${root.href}/`
}
