import { LRUCache } from 'lru-cache'
import type { Semaphore } from '../../bytes/budget.ts'
import type { Outbound } from '../../outbound/types.ts'
import { BYTES_OF_STYLES, readStyles, type SiteStyles } from '../../wordpress/site-styles.ts'

/** Milliseconds for which styles are kept: a theme is changed seldom, and whoever changes it looks again. */
const CACHE_TTL_MS = 300_000
/** Characters of all that are kept; a usual site has 200,000. */
const CACHE_MAX_CHARACTERS = 4 * 1024 * 1024
/** Milliseconds that somebody who looks at a preview waits for room. */
const MEMORY_WAIT_MS = 5_000

interface StyledSite {
  id: string
  accountId: string
  name: string
  url: string
}

/** The styles of sites, read once for some minutes. */
export interface SiteStylesCache {
  /** @throws GalleyError why they cannot be had; that is not kept */
  of(site: StyledSite): Promise<SiteStyles>
}

/** @param room of what is read at the same time */
export function createSiteStylesCache(outbound: Outbound, room: Semaphore): SiteStylesCache {
  const kept = new LRUCache<string, SiteStyles, StyledSite>({
    ttl: CACHE_TTL_MS,
    maxSize: CACHE_MAX_CHARACTERS,
    sizeCalculation: ({ css }) => css.length + 1,
    async fetchMethod(_key, _stale, { context: site }) {
      const share = await room.take(BYTES_OF_STYLES, { waitMs: MEMORY_WAIT_MS })
      return readStyles(outbound, site).finally(() => share.release())
    },
  })
  return { of: (site) => kept.forceFetch(`${site.accountId} ${site.id} ${site.url}`, { context: site }) }
}
