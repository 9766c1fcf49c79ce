import type { DeliverySite } from '../../sites/connected-site.ts'
import { direct, type Outgoing, type Traffic } from '../../wordpress/client/index.ts'

/** Sites whose traffic is kept: more than a process works on at once. */
const MOST_SITES = 2_000

/** Milliseconds after which that of a site which nobody asked for is dropped. */
const KEPT_MS = 60 * 60_000

interface Kept {
  traffic: Traffic
  askedAt: number
}

/**
 * How requests go out to the sites of this process: one for each, whoever asks, so that all its deliveries together keep
 * to what the site takes. Those asked for the longest ago go first.
 */
export class Traffics {
  /** In the order in which they were asked for. */
  readonly #kept = new Map<string, Kept>()

  /** The site, spoken to in the way of this process. One that was connected anew begins anew. */
  through(site: DeliverySite): DeliverySite {
    return { ...site, client: site.client.with({ traffic: this.#of(site) }) }
  }

  get size(): number {
    return this.#kept.size
  }

  #of({ accountId, id, client, connectedAs, settings }: DeliverySite): Traffic {
    const { username, sealedPassword } = connectedAs
    const key = JSON.stringify([
      accountId,
      id,
      client.site.restRoot,
      username,
      sealedPassword,
      settings.concurrency,
    ])
    const traffic = this.#kept.get(key)?.traffic ?? limited(settings.concurrency)
    this.#kept.delete(key)
    this.#kept.set(key, { traffic, askedAt: Date.now() })
    this.#dropOld()
    return traffic
  }

  #dropOld(): void {
    for (const [key, { askedAt }] of this.#kept) {
      if (this.#kept.size <= MOST_SITES && Date.now() - askedAt < KEPT_MS) return
      this.#kept.delete(key)
    }
  }
}

/** Every request by itself, so many at a time; the others wait in their order. */
function limited(most: number): Traffic {
  let underWay = 0
  const waiting: (() => void)[] = []
  const send = async ({ request, exchange, beforeSend }: Outgoing) => {
    if (underWay < most) underWay += 1
    else await new Promise<void>((enter) => waiting.push(enter))
    try {
      return await exchange(request, beforeSend)
    } finally {
      const next = waiting.shift()
      if (next === undefined) underWay -= 1
      else next()
    }
  }
  return { ...direct, send }
}
