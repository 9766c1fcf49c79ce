import { LRUCache } from 'lru-cache'
import type { ByteSemaphore } from '../../bytes/index.ts'
import type { Outbound } from '../../outbound/index.ts'
import type { SiteStyles } from '../../wordpress/site-styles.ts'

/** Milliseconds for which styles are kept: a theme is changed seldom, and whoever changes it looks again. */
const CACHE_TTL_MS = 300_000
/** Characters of all that are kept; a usual site has 200,000. */
const CACHE_MAX_CHARACTERS = 4 * 1024 * 1024
/** Milliseconds that somebody who looks at a preview waits for room. */
const MEMORY_WAIT_MS = 5_000

/** A site whose styles are wanted. */
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
export function createSiteStylesCache(outbound: Outbound, room: ByteSemaphore): SiteStylesCache {
  const kept = new LRUCache<string, SiteStyles>({
    ttl: CACHE_TTL_MS,
    maxSize: CACHE_MAX_CHARACTERS,
    sizeCalculation: ({ css }) => css.length + 1,
  })
  const underWay = new Map<string, Promise<SiteStyles>>()
  async function read(key: string, site: StyledSite): Promise<SiteStyles> {
    // Few ask for them: a process that only delivers never loads what reads them.
    const { BYTES_OF_STYLES, readStyles } = await import('../../wordpress/site-styles.ts')
    const share = await room.take(BYTES_OF_STYLES, { waitMs: MEMORY_WAIT_MS })
    try {
      const styles = await readStyles(outbound, site)
      kept.set(key, styles)
      return styles
    } finally {
      share.release()
    }
  }
  return {
    of(site) {
      const key = `${site.accountId} ${site.id} ${site.url}`
      const known = kept.get(key)
      if (known !== undefined) return Promise.resolve(known)
      const reading = underWay.get(key) ?? read(key, site).finally(() => underWay.delete(key))
      underWay.set(key, reading)
      return reading
    },
  }
}
