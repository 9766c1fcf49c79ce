export { isNotSent, passes } from './passing.ts'
export { createSiteTraffic, type SiteTraffic } from './site-traffic.ts'
