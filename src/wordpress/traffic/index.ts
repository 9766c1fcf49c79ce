export { isUnsent } from './concurrency.ts'
export { createSiteTraffic, type SiteTraffic } from './site-traffic.ts'
