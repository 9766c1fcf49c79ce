export { createSiteTraffic, type SiteTraffic } from './site-traffic.ts'
export { isTransient, isUnsent } from './transient-failures.ts'
