import { deliveriesQuery } from '../../data/deliveries.ts'
import { sitesQuery } from '../../data/sites.ts'
import { sourcesQuery } from '../../data/sources.ts'

/** The site that was connected last. */
export const newestSiteQuery = () => sitesQuery({ limit: 1, sort: '-created' })

/** Whether there is any source yet. */
export const anySourceQuery = () => sourcesQuery({ limit: 1 })

/** The last that came for a site. */
export const latestDeliveryQuery = (siteId = '') => deliveriesQuery({ site_id: [siteId], limit: 1 })
