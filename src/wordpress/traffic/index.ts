export { isNotSent, passes } from './passing.ts'
export { createSiteTraffic, type SiteTraffic, type SiteTrafficOptions } from './site-traffic.ts'
