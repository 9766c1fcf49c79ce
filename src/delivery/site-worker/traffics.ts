import { LRUCache } from 'lru-cache'
import type { DeliverySite } from '../../sites/connected-site.ts'
import { createSiteTraffic, type SiteTraffic } from '../../wordpress/traffic/index.ts'

/** Sites whose traffic is kept: more than a process works on at once. */
const MOST_SITES = 2_000

/** Milliseconds after which that of a site which nobody asked for is dropped. */
const KEPT_MS = 60 * 60_000

/**
 * How requests go out to the sites of this process: one way for each, whoever asks, so that all its deliveries together
 * keep to what the site takes.
 */
export class Traffics {
  readonly #kept = new LRUCache<string, SiteTraffic>({
    max: MOST_SITES,
    ttl: KEPT_MS,
    updateAgeOnGet: true,
  })

  /** The site, spoken to in the way of this process and as its settings say now. One that was connected anew begins anew. */
  through(site: DeliverySite): DeliverySite {
    return { ...site, client: site.client.with({ traffic: this.#of(site) }) }
  }

  #of({ accountId, id, client, connectedAs, settings: { concurrency, batch } }: DeliverySite): SiteTraffic {
    const { username, sealedPassword } = connectedAs
    const key = JSON.stringify([accountId, id, client.site.restRoot, username, sealedPassword])
    const traffic = this.#kept.get(key) ?? createSiteTraffic({ concurrency, batch })
    traffic.concurrency = concurrency
    traffic.batch = batch
    this.#kept.set(key, traffic)
    return traffic
  }
}
